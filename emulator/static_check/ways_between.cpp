#include "emulator/static_check/ways_between.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/code.hpp"

#include <deque>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <vector>

namespace fmha950::static_check {
namespace {

constexpr size_t none = SIZE_MAX;

class CodeWays {
 public:
  explicit CodeWays(const Code& code) : next_(code.size()), previous_(code.size()) {
    for (size_t i = 0; i < code.size(); ++i) {
      const isa::Instruction& in = code.instruction(i);
      const isa::ControlRole role = isa::control_of(in);
      if (isa::is_relative_branch(in)) add(i, static_cast<size_t>(static_cast<int64_t>(i) + in.target));
      if (role != isa::ControlRole::branch && role != isa::ControlRole::end && role != isa::ControlRole::jump)
        add(i, i + 1);
    }
  }

  // Instructions executed from `start`'s successors (1) on; without those behind `wall`.
  std::vector<size_t> from(size_t start, size_t wall = none) const { return spread(next_, start, wall); }
  // Instructions up to `end`, which is itself 0 away.
  std::vector<size_t> to(size_t end) const {
    std::vector<size_t> away = spread(previous_, end, none);
    away[end] = 0;
    return away;
  }

 private:
  using Edges = std::vector<std::vector<size_t>>;
  void add(size_t from, size_t to) {
    if (to >= next_.size()) return;
    next_[from].push_back(to);
    previous_[to].push_back(from);
  }
  static std::vector<size_t> spread(const Edges& edges, size_t start, size_t wall) {
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

  Edges next_, previous_;
};

// Whether every way from `first` to `last` passes an instruction. All of a basic block do or none does, if neither of the
// two lies in it.
class Passed {
 public:
  Passed(const Code& code, const CodeWays& ways, size_t first, size_t last)
      : code_(code), ways_(ways), first_(first), last_(last) {}
  bool always(size_t index) {
    if (index == last_) return true;
    const size_t block = code_.block_of(index);
    if (block == Code::none || block == code_.block_of(first_) || block == code_.block_of(last_))
      return blocks(index);
    const auto [known, is_new] = of_block_.try_emplace(block, false);
    if (is_new) known->second = blocks(index);
    return known->second;
  }

 private:
  bool blocks(size_t index) const { return ways_.from(first_, index)[last_] == none; }

  const Code& code_;
  const CodeWays& ways_;
  size_t first_, last_;
  std::map<size_t, bool> of_block_;
};

const char* kind_of(const isa::Instruction& in) {
  switch (isa::control_of(in)) {
  case isa::ControlRole::barrier: return "barrier";
  case isa::ControlRole::waitcnt: return "wait";
  case isa::ControlRole::branch_if: return "condition";
  case isa::ControlRole::branch: return "branch";
  default: return "-";
  }
}

size_t index_of(const Code& code, const loader::Kernel& kernel, uint64_t offset) {
  const size_t index = code.index_at(kernel.entry + offset);
  if (index >= code.size() || code.instruction(index).address != kernel.entry + offset)
    throw std::invalid_argument(
        fmt::format("offset = {:#x}: kernel {} has no instruction there", offset, kernel.name));
  return index;
}

} // namespace

std::string list_ways(const loader::Kernel& kernel, uint64_t earlier, uint64_t later) {
  const Code code(kernel);
  const CodeWays ways(code);
  const size_t first = index_of(code, kernel, earlier), last = index_of(code, kernel, later);
  const std::vector<size_t> from = ways.from(first), to = ways.to(last);
  const bool there_is_one = from[last] != none;
  Passed passed(code, ways, first, last);
  std::string text;
  for (size_t i = 0; i < code.size(); ++i) {
    const isa::Instruction& in = code.instruction(i);
    if (from[i] == none || in.bytes == 0) continue;
    const bool between = there_is_one && to[i] != none;
    const char* which = !between ? "none" : passed.always(i) ? "every" : "some";
    const size_t loop = code.loop_of(i);
    text += fmt::format("{:#x}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", in.address - kernel.entry, from[i],
                        to[i] == none ? "-" : fmt::to_string(to[i]), which, kind_of(in),
                        loop == Code::none ? 0 : code.loops().loops[loop].depth,
                        kernel.object->source_line(in.address), isa::disassemble(in));
  }
  return text;
}

} // namespace fmha950::static_check
