#include "emulator/observe/initialised/initialised_device.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/observe/initialised/initialised_bits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <new>

namespace fmha950::observe {
namespace {

// Calls visit(block index, word of the block, first bit, bits, offset from `address`) for the 64-byte words
// of a range.
template <class Visit> void for_each_word(uint64_t from_begin, uint64_t bytes, Visit visit) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t at = from_begin + done, bit = at % 64;
    const uint64_t count = std::min<uint64_t>(64 - bit, bytes - done);
    visit(at / RegionValidity::block_bytes, at % RegionValidity::block_bytes / 64, bit, count, done);
    done += count;
  }
}

} // namespace

RegionValidity::Block RegionValidity::valid_block;

// calloc, so that the table of a huge allocation costs only what is touched.
RegionValidity::RegionValidity(uint64_t begin, uint64_t end)
    : begin_(begin), end_(end),
      blocks_(static_cast<std::atomic<Block*>*>(
          std::calloc((end - begin + block_bytes - 1) / block_bytes + 1, sizeof(std::atomic<Block*>)))) {
  if (!blocks_) throw std::bad_alloc();
}
RegionValidity::~RegionValidity() { std::free(blocks_); }

RegionValidity::Block& RegionValidity::own_block(uint64_t index) {
  Block* block = blocks_[index].load(std::memory_order_acquire);
  if (block && block != &valid_block) return *block;
  const std::lock_guard lock(mutex_);
  block = blocks_[index].load(std::memory_order_acquire);
  if (block && block != &valid_block) return *block;
  owned_.push_back(std::make_unique<Block>());
  Block& fresh = *owned_.back();
  if (!block) {
    for (auto& word : fresh.invalid) word.store(~uint64_t{0}, std::memory_order_relaxed);
    fresh.invalid_bytes = block_bytes;
    const uint64_t last = end_ - begin_ - index * block_bytes; // bytes beyond the allocation do not count
    for (uint64_t b = last; b < block_bytes; ++b) set_word(fresh, b / 64, uint64_t{1} << b % 64, 0);
  }
  blocks_[index].store(&fresh, std::memory_order_release);
  return fresh;
}

void RegionValidity::set_word(Block& block, uint64_t word, uint64_t mask, uint64_t invalid) {
  std::atomic<uint64_t>& bits = block.invalid[word];
  const uint64_t now = bits.load(std::memory_order_relaxed);
  int64_t change = 0;
  if (const uint64_t clear = mask & ~invalid; now & clear)
    change -= __builtin_popcountll(bits.fetch_and(~clear, std::memory_order_relaxed) & clear);
  if (const uint64_t set = mask & invalid; set & ~now)
    change += __builtin_popcountll(~bits.fetch_or(set, std::memory_order_relaxed) & set);
  if (change) block.invalid_bytes.fetch_add(change, std::memory_order_relaxed);
}

uint64_t RegionValidity::invalid(uint64_t address, uint32_t bytes) const {
  uint64_t result = 0;
  for_each_word(address - begin_, bytes,
                [&](uint64_t index, uint64_t word, uint64_t bit, uint64_t count, uint64_t done) {
                  const Block* block = blocks_[index].load(std::memory_order_acquire);
                  const uint64_t bits =
                      block ? block->invalid[word].load(std::memory_order_relaxed) : ~uint64_t{0};
                  result |= (bits >> bit & low_bits(count)) << done;
                });
  return result;
}

void RegionValidity::write(uint64_t address, uint32_t bytes, uint64_t invalid, uint64_t instruction,
                           const loader::Kernel* kernel) {
  for_each_word(address - begin_, bytes,
                [&](uint64_t index, uint64_t word, uint64_t bit, uint64_t count, uint64_t done) {
                  const uint64_t part = invalid >> done & low_bits(count);
                  if (!part && is_valid_block(begin_ + index * block_bytes)) return;
                  Block& block = own_block(index);
                  set_word(block, word, low_bits(count) << bit, part << bit);
                  if (!part) return;
                  block.instruction.store(instruction, std::memory_order_relaxed);
                  block.kernel.store(kernel, std::memory_order_relaxed);
                });
}

void RegionValidity::make_valid(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address - begin_, end = at + bytes; at < end;) {
    const uint64_t index = at / block_bytes, next = std::min(end, (index + 1) * block_bytes);
    Block* block = blocks_[index].load(std::memory_order_acquire);
    const bool whole = at % block_bytes == 0 && (next % block_bytes == 0 || next == end_ - begin_);
    if (block != &valid_block) {
      if (whole && !block) {
        blocks_[index].store(&valid_block, std::memory_order_release);
      } else {
        Block& own = own_block(index);
        for_each_word(at, next - at, [&](uint64_t, uint64_t word, uint64_t bit, uint64_t count, uint64_t) {
          set_word(own, word, low_bits(count) << bit, 0);
        });
      }
    }
    at = next;
  }
}

void RegionValidity::make_invalid() {
  const uint64_t count = (end_ - begin_ + block_bytes - 1) / block_bytes;
  for (uint64_t i = 0; i < count; ++i) blocks_[i].store(nullptr, std::memory_order_relaxed);
  owned_.clear();
}

void RegionValidity::copy(uint64_t to, const RegionValidity& other, uint64_t from, uint64_t bytes) {
  const auto origin = other.first_invalid(from, bytes);
  if (!origin) return make_valid(to, bytes);
  std::vector<uint64_t> words; // the source first: the ranges may overlap
  for (uint64_t done = 0; done < bytes; done += 64)
    words.push_back(other.invalid(from + done, static_cast<uint32_t>(std::min<uint64_t>(64, bytes - done))));
  for (uint64_t done = 0; done < bytes; done += 64)
    write(to + done, static_cast<uint32_t>(std::min<uint64_t>(64, bytes - done)), words[done / 64],
          origin->instruction, origin->kernel);
}

std::optional<RegionValidity::Found> RegionValidity::first_invalid(uint64_t address, uint64_t bytes) const {
  const uint64_t end = address + bytes;
  const auto invalid_at = [&](uint64_t at) { return invalid(at, 1) != 0; };
  for (uint64_t at = address; at < end;) {
    if (is_valid_block(at)) {
      at = begin_ + ((at - begin_) / block_bytes + 1) * block_bytes;
      continue;
    }
    if (!invalid_at(at)) {
      ++at;
      continue;
    }
    Found found{at, at, 0, nullptr};
    if (const Block* block = blocks_[(at - begin_) / block_bytes].load(std::memory_order_acquire)) {
      found.instruction = block->instruction.load(std::memory_order_relaxed);
      found.kernel = block->kernel.load(std::memory_order_relaxed);
    }
    while (found.end < end && invalid_at(found.end)) {
      const uint64_t index = (found.end - begin_) / block_bytes;
      const bool nothing = !blocks_[index].load(std::memory_order_acquire);
      found.end = nothing ? std::min(end, begin_ + (index + 1) * block_bytes) : found.end + 1;
    }
    return found;
  }
  return std::nullopt;
}

// --- the device ---

void DeviceInitialised::allocated(uint64_t begin, uint64_t end) {
  const std::unique_lock lock(mutex_);
  regions_[begin] = std::make_shared<RegionValidity>(begin, end);
}
void DeviceInitialised::released(uint64_t begin) {
  const std::unique_lock lock(mutex_);
  regions_.erase(begin);
}

std::shared_ptr<RegionValidity> DeviceInitialised::find(uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return nullptr;
  const auto& region = std::prev(next)->second;
  return region->contains(address, 1) ? region : nullptr;
}

void DeviceInitialised::host_wrote(uint64_t address, uint64_t bytes) {
  if (const auto region = find(address))
    region->make_valid(address, std::min(bytes, region->end() - address));
}

void DeviceInitialised::copied(uint64_t to, uint64_t from, uint64_t bytes) {
  const auto destination = find(to), source = find(from);
  if (!destination || bytes == 0) return;
  bytes = std::min(bytes, destination->end() - to);
  if (!source) return destination->make_valid(to, bytes);
  destination->copy(to, *source, from, std::min(bytes, source->end() - from));
}

void RegionValidity::forget_writers(std::span<const loader::Kernel> kernels) {
  const std::lock_guard lock(mutex_);
  for (const auto& block : owned_) {
    const loader::Kernel* kernel = block->kernel;
    if (std::ranges::none_of(kernels, [&](const loader::Kernel& gone) { return &gone == kernel; })) continue;
    block->instruction = unloaded;
    block->kernel = nullptr;
  }
}

void DeviceInitialised::forget() {
  const std::unique_lock lock(mutex_);
  regions_.clear();
}

void DeviceInitialised::forget_writers(std::span<const loader::Kernel> kernels) {
  const std::shared_lock lock(mutex_);
  for (const auto& [begin, region] : regions_) region->forget_writers(kernels);
}

std::optional<Hazard> DeviceInitialised::host_read(uint64_t address, uint64_t bytes) const {
  const auto region = find(address);
  if (!region) return std::nullopt;
  const auto found = region->first_invalid(address, std::min(bytes, region->end() - address));
  if (!found) return std::nullopt;
  Hazard hazard;
  hazard.type = HazardClass::uninitialised;
  hazard.kernel = found->kernel;
  hazard.earlier.address = found->instruction == RegionValidity::unloaded ? 0 : found->instruction;
  hazard.begin = found->begin;
  hazard.end = found->end;
  hazard.what =
      fmt::format("the host reads {} bytes at offset {} of an allocation of {} that {}",
                  found->end - found->begin, found->begin - region->begin(), region->end() - region->begin(),
                  found->instruction ? "a kernel computed from values nobody wrote"
                                     : "neither the host nor a kernel wrote");
  hazard.usually = found->instruction
                       ? "an input that was not set, or scratch memory that is read before it is written"
                       : "a kernel that fills only part of its output, or was not launched";
  return hazard;
}

} // namespace fmha950::observe
