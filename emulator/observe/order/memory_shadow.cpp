#include "emulator/observe/order/memory_shadow.hpp"

#include <algorithm>

namespace fmha950::observe {

void MemoryBlock::start_rows(uint64_t launch) {
  rows_ = {};
  in_rows_ = true;
  launch_ = launch;
}

void MemoryBlock::leave_rows() {
  shift_ = 4;
  cells_.assign(bytes >> shift_, MemoryCell{});
  for (size_t i = 0; i < cells_.size(); ++i)
    for (size_t n = 0; n < 2; ++n)
      if (const AccessTag first = rows_[i / cells_of_row][n])
        cells_[i].other[n] = first.any_lane().at_lane(first.lane() ^ static_cast<int>(i) % cells_of_row);
  in_rows_ = false;
}

void MemoryBlock::fit(uint64_t launch, int shift) {
  if (launch != launch_) {
    cells_.assign(bytes >> shift, MemoryCell{});
    in_rows_ = false;
  } else if (in_rows_) {
    leave_rows();
    if (shift < shift_) fit(launch, shift);
    return;
  } else {
    std::vector<MemoryCell> parts;
    parts.reserve(bytes >> shift);
    for (const MemoryCell& cell : cells_) parts.insert(parts.end(), size_t{1} << (shift_ - shift), cell);
    cells_.swap(parts);
  }
  launch_ = launch;
  shift_ = shift;
}

void MemoryShadow::begin_launch() {
  ++launch_;
  numbers_.clear();
  instructions_.clear();
  released_.clear();
}

MemoryBlock& MemoryShadow::block(uint64_t address) {
  const uint64_t key = address >> MemoryBlock::address_bits;
  return root_.make(key >> 24).make(key >> 12).make(key);
}

void MemoryShadow::forget(uint64_t begin, uint64_t end) {
  constexpr uint64_t lower_bytes = MemoryBlock::bytes << 12; // of a node of the lowest level
  for (uint64_t address = begin; address < end;) {
    const uint64_t key = address >> MemoryBlock::address_bits;
    const auto* upper = root_.find(key >> 24);
    const auto* lower = upper ? upper->find(key >> 12) : nullptr;
    if (MemoryBlock* block = lower ? lower->find(key) : nullptr) {
      const std::lock_guard lock(*block);
      block->forget();
    }
    const uint64_t step = lower ? MemoryBlock::bytes : lower_bytes;
    address = (address / step + 1) * step;
  }
}

uint32_t MemoryShadow::number_of(const isa::Instruction* instruction) {
  const std::lock_guard lock(mutex_);
  const auto at = numbers_.find(instruction);
  if (at != numbers_.end()) return at->second;
  if (instructions_.size() == AccessTag::last_instruction) return 0;
  instructions_.push_back(instruction);
  return numbers_[instruction] = static_cast<uint32_t>(instructions_.size());
}

const isa::Instruction* MemoryShadow::instruction(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number ? instructions_[number - 1] : nullptr;
}

void MemoryShadow::release(const std::vector<uint64_t>& addresses, const Released& released) {
  const std::lock_guard lock(mutex_);
  // Lanes often find the same knowledge at their addresses: it is joined once.
  Released before, after = released;
  for (uint64_t address : addresses) {
    Released& at = released_[address];
    if (at == after) continue;
    if (at != before) {
      before = at;
      after = {joined(at.known, released.known), joined(at.in_memory, released.in_memory)};
    }
    at = after;
  }
}

MemoryShadow::Released MemoryShadow::released_at(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto at = released_.find(address);
  return at == released_.end() ? Released{} : at->second;
}

} // namespace fmha950::observe
