#pragma once
// The control flow graph of one decoded function, as far as it is reached from its first instruction.

#include "emulator/program/program.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::isa {

struct BasicBlock {
  size_t begin = 0, end = 0;      // instructions of the function, [begin, end)
  std::vector<size_t> successors; // blocks
};

struct ControlFlow {
  explicit ControlFlow(const Program::Block& function);

  // Whether every path from the entry to `block` goes through `over`.
  bool dominates(size_t over, size_t block) const;

  // In reverse postorder: the entry first, a block after those that dominate it.
  std::vector<BasicBlock> blocks;
  std::vector<size_t> dominator;  // of each block the closest one above it; the entry's is itself
  bool has_indirect_jump = false; // s_setpc_b64: a return, or a jump that is not followed
};

// A natural loop (Aho, Lam, Sethi, Ullman, section 9.6.6): the blocks from which a back edge's end is reached
// without passing its head, which dominates them all. Loops with one head are one loop.
struct Loop {
  size_t head = 0;
  std::vector<size_t> tails;  // the blocks whose branches close the loop
  std::vector<size_t> blocks; // ascending, with those of loops inside
  int depth = 1;
  bool holds(size_t block) const;
};

struct Loops {
  std::vector<Loop> loops; // outer ones before those inside them, else in the order of the code
  // For each loop, the blocks that are in no loop inside it.
  std::vector<std::vector<size_t>> own_blocks;
  int irreducible = 0; // cycles that are entered at several places: no loops by the definition
};

Loops find_loops(const ControlFlow& flow);

} // namespace fmha950::isa
