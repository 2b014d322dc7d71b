#include "emulator/program/control_flow.hpp"

#include "emulator/program/row.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fmha950::isa {
namespace {

struct Ends { // how an instruction ends a basic block
  bool ends = false, falls_through = true;
  std::optional<size_t> target;
};

Ends ends_of(const Program::Block& function, size_t index, bool& has_indirect_jump) {
  const Instruction& in = function.instructions[index];
  const ControlRole role = control_of(in);
  if (is_relative_branch(in))
    return {true, role != ControlRole::branch, index + static_cast<size_t>(static_cast<int64_t>(in.target))};
  if (role == ControlRole::fork) {
    has_indirect_jump = true;
    return {true, true, {}};
  }
  if (role == ControlRole::end) return {true, false, {}};
  if (role == ControlRole::jump) {
    has_indirect_jump = true;
    return {true, false, {}};
  }
  return {};
}

// Blocks by the index of their first instruction.
std::map<size_t, BasicBlock> split(const Program::Block& function, bool& has_indirect_jump) {
  // The last is the guard: code that runs into it faults.
  const size_t count = function.instructions.size() - 1;
  std::set<size_t> reached, starts;
  std::vector<size_t> pending;
  const auto start = [&](size_t at) {
    if (at < count && starts.insert(at).second) pending.push_back(at);
  };
  start(0);
  while (!pending.empty()) {
    size_t at = pending.back();
    pending.pop_back();
    while (at < count && reached.insert(at).second) {
      const Ends ends = ends_of(function, at, has_indirect_jump);
      if (ends.target) start(*ends.target);
      if (ends.ends && ends.falls_through) start(at + 1);
      if (ends.ends) break;
      ++at;
    }
  }
  std::map<size_t, BasicBlock> blocks;
  for (size_t begin : starts) {
    BasicBlock& block = blocks[begin];
    block.begin = begin;
    for (size_t at = begin;; ++at) {
      const Ends ends = ends_of(function, at, has_indirect_jump);
      block.end = at + 1;
      if (ends.target && *ends.target < count) block.successors.push_back(*ends.target);
      if (ends.falls_through && block.end < count && (ends.ends || starts.contains(block.end)))
        block.successors.push_back(block.end);
      if (ends.ends || block.end == count || starts.contains(block.end)) break;
    }
  }
  return blocks;
}

std::vector<size_t> reverse_postorder(const std::map<size_t, BasicBlock>& blocks) {
  std::vector<size_t> order;
  std::set<size_t> seen = {0};
  struct Visit {
    const BasicBlock* block;
    size_t next = 0;
  };
  std::vector<Visit> stack = {{&blocks.at(0)}};
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next == visit.block->successors.size()) {
      order.push_back(visit.block->begin);
      stack.pop_back();
    } else if (const size_t successor = visit.block->successors[visit.next++]; seen.insert(successor).second)
      stack.push_back({&blocks.at(successor)});
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::vector<size_t>> predecessors_of(const std::vector<BasicBlock>& blocks) {
  std::vector<std::vector<size_t>> predecessors(blocks.size());
  for (size_t block = 0; block < blocks.size(); ++block)
    for (size_t successor : blocks[block].successors) predecessors[successor].push_back(block);
  return predecessors;
}

} // namespace

// Dominators by Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
ControlFlow::ControlFlow(const Program::Block& function) {
  if (function.instructions.size() < 2) return;
  std::map<size_t, BasicBlock> by_begin = split(function, has_indirect_jump);
  std::map<size_t, size_t> number;
  for (size_t begin : reverse_postorder(by_begin)) {
    number[begin] = blocks.size();
    blocks.push_back(std::move(by_begin.at(begin)));
  }
  for (BasicBlock& block : blocks)
    for (size_t& successor : block.successors) successor = number.at(successor);

  const auto predecessors = predecessors_of(blocks);
  constexpr size_t none = SIZE_MAX;
  dominator.assign(blocks.size(), none);
  dominator[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t block = 1; block < blocks.size(); ++block) {
      size_t common = none;
      for (size_t predecessor : predecessors[block]) {
        if (dominator[predecessor] == none) continue;
        if (common == none) common = predecessor;
        for (size_t other = predecessor; common != other;)
          (common > other ? common : other) = dominator[std::max(common, other)];
      }
      changed |= dominator[block] != common;
      dominator[block] = common;
    }
  }
}

bool ControlFlow::dominates(size_t over, size_t block) const {
  while (block > over) block = dominator[block];
  return block == over;
}

bool Loop::holds(size_t block) const { return std::binary_search(blocks.begin(), blocks.end(), block); }

Loops find_loops(const ControlFlow& flow) {
  const auto predecessors = predecessors_of(flow.blocks);
  Loops found;
  std::map<size_t, std::vector<size_t>> tails_of; // by head
  for (size_t block = 0; block < flow.blocks.size(); ++block)
    for (size_t successor : flow.blocks[block].successors) {
      if (flow.dominates(successor, block))
        tails_of[successor].push_back(block);
      else if (successor <= block) // backwards in reverse postorder, yet around the head
        ++found.irreducible;
    }
  for (const auto& [head, tails] : tails_of) {
    std::set<size_t> body = {head};
    std::vector<size_t> pending = tails;
    while (!pending.empty()) {
      const size_t block = pending.back();
      pending.pop_back();
      if (body.insert(block).second)
        pending.insert(pending.end(), predecessors[block].begin(), predecessors[block].end());
    }
    found.loops.push_back({head, tails, {body.begin(), body.end()}, 1});
  }
  // An outer loop's head dominates those inside, hence comes first in reverse postorder.
  found.own_blocks.resize(found.loops.size());
  for (size_t i = 0; i < found.loops.size(); ++i) {
    for (size_t j = 0; j < i; ++j) found.loops[i].depth += found.loops[j].holds(found.loops[i].head);
    for (size_t block : found.loops[i].blocks) {
      const bool is_inside = std::any_of(
          found.loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, found.loops.end(),
          [&](const Loop& other) { return found.loops[i].holds(other.head) && other.holds(block); });
      if (!is_inside) found.own_blocks[i].push_back(block);
    }
  }
  return found;
}

} // namespace fmha950::isa
