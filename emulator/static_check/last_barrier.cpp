#include "emulator/static_check/last_barrier.hpp"

#include "emulator/static_check/effects.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using Role = observe::InstructionInfo::Role;

bool is_barrier(const Code& code, size_t index) { return code.info(index).role == Role::barrier; }

// Instructions that come behind this one on some path.
std::vector<size_t> behind(const Code& code, size_t index) {
  const auto& blocks = code.flow().blocks;
  std::vector<size_t> found;
  std::vector<bool> is_open(blocks.size());
  std::vector<size_t> open;
  const auto add = [&](size_t block, size_t begin) {
    for (size_t i = begin; i < blocks[block].end; ++i) found.push_back(i);
    for (const size_t next : blocks[block].successors)
      if (!is_open[next]) {
        is_open[next] = true;
        open.push_back(next);
      }
  };
  add(code.block_of(index), index + 1);
  while (!open.empty()) {
    const size_t block = open.back();
    open.pop_back();
    add(block, blocks[block].begin);
  }
  return found;
}

// By instruction: whether a barrier comes behind it on some path.
std::vector<bool> before_barriers(const Code& code) {
  const auto& blocks = code.flow().blocks;
  std::vector<bool> leads_to_one(blocks.size()), before(code.size());
  const auto walk = [&](size_t block) { // backwards; whether it leads to one from its begin
    bool comes =
        std::ranges::any_of(blocks[block].successors, [&](size_t next) { return leads_to_one[next]; });
    for (size_t i = blocks[block].end; i-- > blocks[block].begin;) {
      before[i] = comes;
      comes |= is_barrier(code, i);
    }
    return comes;
  };
  for (bool again = true; again;) {
    again = false;
    for (size_t block = blocks.size(); block-- > 0;)
      if (const bool leads = walk(block); leads != leads_to_one[block]) again = leads_to_one[block] = true;
  }
  return before;
}

} // namespace

bool is_needless_last_barrier(const Code& code, const PointerBases& bases, size_t barrier) {
  std::vector<size_t> freed; // accesses that it holds back
  for (const size_t index : behind(code, barrier)) {
    if (is_barrier(code, index) || !has_known_effect(code, index)) return false;
    const Effect effect = effect_of(code, index);
    if (effect.reads_lds) return false;
    if (effect.reads_memory) freed.push_back(index);
  }
  const std::vector<bool> before = before_barriers(code);
  for (size_t index = 0; index < code.size(); ++index) {
    if (code.block_of(index) == Code::none) continue;
    const bool is_known = has_known_effect(code, index);
    const Effect effect = effect_of(code, index);
    if ((is_known && !effect.reads_memory) || !before[index]) continue;
    if (!is_known || effect.writes_memory) return false;
    for (const size_t later : freed)
      if (may_disturb_in_memory(effect, effect_of(code, later)) && !bases.apart(index, later)) return false;
  }
  return true;
}

} // namespace fmha950::static_check
