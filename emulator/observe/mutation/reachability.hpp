#pragma once
// Which instructions of one function may be executed before and after which.
// Indirect jumps may lead anywhere.

#include "emulator/program/program.hpp"

#include <vector>

namespace fmha950::observe {

class Reachability {
 public:
  explicit Reachability(const isa::Program::Block& block);
  // By instruction, `index` itself among them:
  std::vector<bool> after(size_t index) const { return closure(next_, index); } // what comes after it
  std::vector<bool> before(size_t index) const { return closure(previous_, index); }

 private:
  using Edges = std::vector<std::vector<size_t>>;
  std::vector<bool> closure(const Edges& edges, size_t from) const;

  Edges next_, previous_;
  bool indirect_ = false;
};

} // namespace fmha950::observe
