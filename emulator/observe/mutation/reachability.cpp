#include "emulator/observe/mutation/reachability.hpp"

#include "emulator/program/row.hpp"

namespace fmha950::observe {

Reachability::Reachability(const isa::Program::Block& block)
    : next_(block.instructions.size()), previous_(block.instructions.size()) {
  const auto add = [&](size_t from, size_t to) {
    if (to >= next_.size()) return;
    next_[from].push_back(to);
    previous_[to].push_back(from);
  };
  for (size_t i = 0; i < block.instructions.size(); ++i) {
    const isa::Instruction& in = block.instructions[i];
    const isa::ControlRole role = isa::control_of(in);
    if (role == isa::ControlRole::jump || role == isa::ControlRole::call || role == isa::ControlRole::fork)
      indirect_ = true;
    if (isa::is_relative_branch(in)) add(i, static_cast<size_t>(static_cast<int64_t>(i) + in.target));
    if (role != isa::ControlRole::branch && role != isa::ControlRole::end) add(i, i + 1);
  }
}

std::vector<bool> Reachability::closure(const Edges& edges, size_t from) const {
  std::vector<bool> reached(edges.size(), indirect_);
  if (indirect_) return reached;
  std::vector<size_t> open = {from};
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    if (reached[i]) continue;
    reached[i] = true;
    open.insert(open.end(), edges[i].begin(), edges[i].end());
  }
  return reached;
}

} // namespace fmha950::observe
