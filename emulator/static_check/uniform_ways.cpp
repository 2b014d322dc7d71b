#include "emulator/static_check/uniform_ways.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using observe::RegisterSet;
using Role = observe::InstructionInfo::Role;

constexpr isa::RegisterRange work_item{isa::RegisterRange::File::vector, false, 0, 3}; // v0, or v0 to v2
constexpr isa::RegisterRange all_scalars{isa::RegisterRange::File::scalar, false, 0, 255};

// Registers that may differ between waves.
struct Varying {
  RegisterSet registers;
  bool join(const Varying& other) {
    const RegisterSet before = registers;
    registers.add(other.registers);
    return !(registers == before);
  }
  bool empty() const { return false; }
};

bool reads_any(const observe::InstructionInfo& info, const RegisterSet& registers) {
  RegisterSet reads;
  for (const isa::RegisterRange& range : info.uses.reads()) reads.add(range);
  return reads.intersects(registers);
}

// What it gives may differ even where what it reads does not.
bool is_source(const isa::Instruction& in) {
  const isa::MemoryKind memory = isa::memory_of(in).kind;
  const bool loads = memory == isa::MemoryKind::load || memory == isa::MemoryKind::atomic;
  return (loads && in.encoding != isa::Encoding::smem) || memory == isa::MemoryKind::clock ||
         isa::control_of(in) == isa::ControlRole::get_register;
}

class Ways {
 public:
  Ways(const Code& code, const CommonValues& common)
      : code_(code), common_(common), blocks_(code.flow().blocks), at_entry_(blocks_.size()),
        is_divided_(blocks_.size()) {
    find_ends_of_ways();
  }

  bool meet() {
    if (!all_end()) return false;
    while (const std::optional<size_t> block = next_divided()) {
      is_divided_[*block] = true;
      const size_t end = nearest_common(*block);
      RegisterSet written;
      for (size_t b : blocks_between(*block, end))
        for (size_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
          if (code_.info(i).role == Role::barrier) return false;
          for (const isa::RegisterRange& range : code_.info(i).uses.writes()) written.add(range);
        }
      if (end != Code::none) at_entry_[end].add(written);
    }
    return true;
  }

 private:
  // Whether the end can be reached from everywhere.
  bool all_end() const {
    std::vector<bool> ends(blocks_.size());
    for (bool grew = true; grew;) {
      grew = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        if (ends[b]) continue;
        const auto& next = blocks_[b].successors;
        ends[b] =
            next.empty() || std::ranges::any_of(next, [&](size_t successor) { return ends[successor]; });
        grew |= ends[b];
      }
    }
    return std::ranges::find(ends, false) == ends.end();
  }
  // By block: those that every way from it to the end of the kernel comes to, itself among them.
  void find_ends_of_ways() {
    common_ways_.assign(blocks_.size(), std::vector<bool>(blocks_.size(), true));
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        std::vector<bool> own(blocks_.size(), !blocks_[b].successors.empty());
        for (size_t successor : blocks_[b].successors)
          for (size_t i = 0; i < own.size(); ++i) own[i] = own[i] && common_ways_[successor][i];
        own[b] = true;
        changed |= own != common_ways_[b];
        common_ways_[b] = std::move(own);
      }
    }
  }
  // The first block that all ways from `block` come to; none: the end of the kernel.
  size_t nearest_common(size_t block) const {
    size_t nearest = Code::none;
    for (size_t b = 0; b < blocks_.size(); ++b)
      if (b != block && common_ways_[block][b] && (nearest == Code::none || common_ways_[b][nearest]))
        nearest = b;
    return nearest;
  }
  std::vector<size_t> blocks_between(size_t block, size_t end) const {
    std::vector<bool> seen(blocks_.size());
    std::vector<size_t> open = blocks_[block].successors, between;
    while (!open.empty()) {
      const size_t b = open.back();
      open.pop_back();
      if (b == end || seen[b]) continue;
      seen[b] = true;
      between.push_back(b);
      open.insert(open.end(), blocks_[b].successors.begin(), blocks_[b].successors.end());
    }
    return between;
  }

  // A block whose waves may part at its branch, and that was not seen to be one.
  std::optional<size_t> next_divided() const {
    std::optional<size_t> found;
    Varying start;
    start.registers.add(work_item);
    propagate(code_, 0, start, true, [&](Varying& state, size_t index) {
      const size_t block = code_.block_of(index);
      if (blocks_[block].begin == index) state.registers.add(at_entry_[block]);
      const isa::Instruction& in = code_.instruction(index);
      const observe::InstructionInfo& info = code_.info(index);
      const bool differs = (reads_any(info, state.registers) || is_source(in)) && !common_.is_common(index);
      if (isa::control_of(in) == isa::ControlRole::branch_if && differs && !is_divided_[block]) found = block;
      if (isa::moves_by_m0(isa::scalar_of(in))) state.registers.add(all_scalars);
      for (const isa::RegisterRange& range : info.uses.writes())
        if (differs)
          state.registers.add(range);
        else if (range.file == isa::RegisterRange::File::scalar || common_.has_all_lanes(index))
          state.registers.remove(range); // else the lanes that do not execute it are as they were
    });
    return found;
  }
  const Code& code_;
  const CommonValues& common_;
  const std::vector<isa::BasicBlock>& blocks_;
  std::vector<RegisterSet> at_entry_; // by block: what differs because waves came to it by different ways
  std::vector<bool> is_divided_;
  std::vector<std::vector<bool>> common_ways_;
};

} // namespace

bool meet_at_barriers(const Code& code, const CommonValues& common) { return Ways(code, common).meet(); }

} // namespace fmha950::static_check
