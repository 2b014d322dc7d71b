#include "emulator/static_check/branch_depths.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

// The innermost loop in whose turns a block is passed or not, null: the function. A loop's head is passed if the loop is come to.
const isa::Loop* region_of(const Code& code, size_t block) {
  const isa::Loop* region = nullptr; // outer loops come first
  for (const isa::Loop& loop : code.loops().loops)
    if (loop.holds(block) && loop.head != block) region = &loop;
  return region;
}

// Whether execution may come from one block to the end of a turn of the loop (null: of the function) and not to the other.
bool leads_past(const Code& code, const isa::Loop* loop, size_t from, size_t other) {
  const std::vector<isa::BasicBlock>& blocks = code.flow().blocks;
  std::vector<bool> seen(blocks.size());
  std::vector<size_t> open = {from};
  while (!open.empty()) {
    const size_t block = open.back();
    open.pop_back();
    const bool is_end =
        loop ? std::ranges::find(loop->tails, block) != loop->tails.end() : blocks[block].successors.empty();
    if (is_end) return true;
    for (const size_t next : blocks[block].successors) {
      if (next == other || seen[next] || (loop && !loop->holds(next))) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

// Whether it is this branch that decides: one of its ways leads to the block for sure, and another one past it.
bool decides(const Code& code, const isa::Loop* region, size_t branch, size_t block) {
  bool leads_there = false, leads_away = false;
  for (const size_t next : code.flow().blocks[branch].successors) {
    if (region && !region->holds(next)) continue;
    const bool away = next != block && leads_past(code, region, next, block);
    (away ? leads_away : leads_there) = true;
  }
  return leads_there && leads_away;
}

std::vector<int> depths_of(const Code& code) {
  const isa::ControlFlow& flow = code.flow();
  std::vector<int> depths(flow.blocks.size());
  for (size_t block = 0; block < depths.size(); ++block) { // behind those that dominate it
    const isa::Loop* const region = region_of(code, block);
    depths[block] = region ? depths[region->head] : 0;
    for (size_t above = block; above != flow.dominator[above];) {
      above = flow.dominator[above];
      if (region && !region->holds(above)) break;
      if (!decides(code, region, above, block)) continue;
      depths[block] = 1 + depths[above];
      break;
    }
  }
  return depths;
}

} // namespace

BranchDepths::BranchDepths(const LaunchCode& code) : code_(code), of_calls_(code.parts().size()) {
  for (const CodePart& part : code.parts()) of_blocks_.push_back(depths_of(part.code));
  // As of loops (LaunchCode): calls that call each other have no end of depths.
  for (size_t turn = 0; turn < code.parts().size(); ++turn)
    for (const CodeCall& call : code.calls())
      if (call.callee) of_calls_[*call.callee] = std::max(of_calls_[*call.callee], of(call.part, call.index));
}

int BranchDepths::of(size_t part, size_t index) const {
  const size_t block = code_.parts()[part].code.block_of(index);
  return of_calls_[part] + (block == Code::none ? 0 : of_blocks_[part][block]);
}

} // namespace fmha950::static_check
