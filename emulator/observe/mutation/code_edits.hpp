#pragma once
// Changes to a function's code that are made together, and the copy that has them. Places are instructions of the
// original, so that no change moves the place of another.

#include "emulator/program/program.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fmha950::observe {

struct CodeEdits {
  using Instructions = std::vector<isa::Instruction>;
  explicit CodeEdits(const isa::Program::Block& code)
      : original(code), own(code.instructions), removed(code.instructions.size(), false) {}

  const isa::Program::Block& original;
  Instructions own; // the original's, to be changed in place
  std::vector<bool> removed;
  std::map<size_t, Instructions> before;                     // of an instruction: on every way to it
  std::map<std::pair<size_t, size_t>, Instructions> on_edge; // on the way from one to the other alone
};

// Whether execution may go from one to the other directly: by a branch, or as the next one. What comes behind a call is come to
// from the function's return.
bool is_edge(const isa::Program::Block& code, size_t from, size_t to);

// What jumped to an instruction that is gone jumps to the next one. Instructions follow one another without a gap from
// where the original begins (laid_out_at); what stands on a taken branch lies behind the last one, and jumps back.
std::unique_ptr<isa::Program::Block> copy_with(const CodeEdits& edits);

} // namespace fmha950::observe
