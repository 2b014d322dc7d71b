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

bool is_before_a_barrier(const Code& code, size_t index) {
  return std::ranges::any_of(behind(code, index), [&](size_t later) { return is_barrier(code, later); });
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
  for (size_t index = 0; index < code.size(); ++index) {
    if (code.block_of(index) == Code::none) continue;
    const bool is_known = has_known_effect(code, index);
    const Effect effect = effect_of(code, index);
    if ((is_known && !effect.reads_memory) || !is_before_a_barrier(code, index)) continue;
    if (!is_known || effect.writes_memory) return false;
    for (const size_t later : freed)
      if (may_disturb_in_memory(effect, effect_of(code, later)) && !bases.apart(index, later)) return false;
  }
  return true;
}

} // namespace fmha950::static_check
