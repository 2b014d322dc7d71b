#pragma once
// Follows what is known along every path, until nothing new comes to any block (a worklist over basic blocks; Kildall, "A
// Unified Approach to Global Program Optimization").

#include "emulator/static_check/code.hpp"

#include <optional>
#include <set>

namespace fmha950::static_check {

// `State` has bool join(const State&), which takes in what holds on another path and says whether it grew, and bool
// empty(): nothing is left to follow. `step(state, index)` does what the instruction does; at an
// instruction's last visit the state is the joined one of all paths from `from`. An empty state is followed no
// further, unless `all` paths are asked for.
template <class State, class DoStep>
void propagate(const Code& code, size_t from, State state, bool all, const DoStep& step) {
  const std::vector<isa::BasicBlock>& blocks = code.flow().blocks;
  if (from >= code.size() || code.block_of(from) == Code::none) return;
  std::vector<std::optional<State>> entry(blocks.size());
  std::set<size_t> open; // in reverse postorder: a block as a rule after those before it
  const auto walk = [&](State current, size_t block, size_t index) {
    for (; index < blocks[block].end; ++index) {
      if (!all && current.empty()) return;
      step(current, index);
    }
    if (!all && current.empty()) return;
    for (size_t successor : blocks[block].successors) {
      if (!entry[successor])
        entry[successor] = current;
      else if (!entry[successor]->join(current))
        continue;
      open.insert(successor);
    }
  };
  walk(std::move(state), code.block_of(from), from);
  while (!open.empty()) {
    const size_t block = *open.begin();
    open.erase(open.begin());
    walk(*entry[block], block, blocks[block].begin);
  }
}

} // namespace fmha950::static_check
