#include "emulator/static_check/launch_flow.hpp"

#include "emulator/program/row.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace fmha950::static_check {
namespace {

using isa::ControlRole;

const CodeCall* call_at(const LaunchCode& code, size_t part, size_t index) {
  const auto found = std::ranges::find_if(
      code.calls(), [&](const CodeCall& call) { return call.part == part && call.index == index; });
  return found == code.calls().end() || !found->callee ? nullptr : &*found;
}

} // namespace

LaunchFlow::LaunchFlow(const LaunchCode& code) {
  size_t count = 0;
  for (const CodePart& part : code.parts()) {
    first_.push_back(count);
    count += part.code.size();
  }
  next_.resize(count);
  previous_.resize(count);
  stretch_.resize(count, none);
  for (size_t part = 0; part < code.parts().size(); ++part) follow_part(code, part);
  follow_returns(code);
}

std::pair<size_t, size_t> LaunchFlow::place_of(size_t number) const {
  const auto part = std::ranges::upper_bound(first_, number) - first_.begin() - 1;
  return {static_cast<size_t>(part), number - first_[static_cast<size_t>(part)]};
}

void LaunchFlow::add(size_t from, size_t to) {
  if (to >= next_.size()) return;
  next_[from].push_back(to);
  previous_[to].push_back(from);
}

void LaunchFlow::follow_part(const LaunchCode& code, size_t part) {
  const Code& of = code.parts()[part].code;
  const size_t first = first_[part];
  for (size_t i = 0; i < of.size(); ++i) {
    const isa::Instruction& in = of.instruction(i);
    const CodeCall* const call = call_at(code, part, i);
    if (call) add(first + i, first_[*call->callee]);
    if (isa::is_relative_branch(in)) {
      const auto target = static_cast<size_t>(static_cast<int64_t>(i) + in.target);
      if (target < of.size()) add(first + i, first + target);
    }
    const ControlRole role = isa::control_of(in);
    const bool goes_on = role != ControlRole::branch && role != ControlRole::end && role != ControlRole::jump;
    if (goes_on && !call && i + 1 < of.size()) add(first + i, first + i + 1);
    if (of.block_of(i) == Code::none) continue;
    const bool begins = i == 0 || of.block_of(i - 1) != of.block_of(i) || call_at(code, part, i - 1);
    stretch_[first + i] = begins ? first + i : stretch_[first + i - 1];
  }
}

void LaunchFlow::follow_returns(const LaunchCode& code) {
  std::vector<std::set<size_t>> behind(code.parts().size()); // where each part returns to
  for (const CodeCall& call : code.calls())
    if (call.callee && call.comes_back) behind[*call.callee].insert(first_[call.part] + call.index + 1);
  for (bool grew = true; grew;) {
    grew = false;
    for (const CodeCall& call : code.calls()) {
      if (!call.callee || call.comes_back) continue;
      const size_t before = behind[*call.callee].size();
      const std::set<size_t> of_caller = behind[call.part];
      behind[*call.callee].insert(of_caller.begin(), of_caller.end());
      grew |= behind[*call.callee].size() > before;
    }
  }
  for (size_t part = 1; part < code.parts().size(); ++part) {
    const Code& of = code.parts()[part].code;
    for (size_t i = 0; i < of.size(); ++i)
      if (of.steps()[i].leaves == Leaves::returns && !call_at(code, part, i))
        for (const size_t to : behind[part]) add(first_[part] + i, to);
  }
}

std::vector<size_t> LaunchFlow::to(size_t end) const {
  std::vector<size_t> away = spread(previous_, end, none);
  away[end] = 0;
  return away;
}

std::vector<size_t> LaunchFlow::least(size_t start, const std::vector<size_t>& weights) const {
  std::vector<size_t> sums(next_.size(), none);
  std::deque<size_t> open;
  const auto go_on = [&](size_t i, size_t sum) {
    for (const size_t to : next_[i])
      if (sum < sums[to]) {
        sums[to] = sum;
        open.push_back(to);
      }
  };
  for (go_on(start, 0); !open.empty(); open.pop_front())
    go_on(open.front(), sums[open.front()] + weights[open.front()]);
  return sums;
}

std::vector<size_t> LaunchFlow::spread(const Edges& edges, size_t start, size_t wall) {
  std::vector<size_t> distance(edges.size(), none);
  std::deque<std::pair<size_t, size_t>> open; // instruction and its distance
  const auto visit = [&](size_t i, size_t at) {
    for (const size_t to : edges[i])
      if (to != wall && distance[to] == none) {
        distance[to] = at + 1;
        open.emplace_back(to, at + 1);
      }
  };
  for (visit(start, 0); !open.empty(); open.pop_front()) visit(open.front().first, open.front().second);
  return distance;
}

} // namespace fmha950::static_check
