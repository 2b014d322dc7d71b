#pragma once
// The code that a launch executes, as the cycle model reads it: function by function, as waves come to them.

#include "emulator/loader/code_object.hpp"
#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/record/op.hpp"

#include <map>
#include <vector>

namespace fmha950::timing {

class CodeOps {
 public:
  // `copies`: a mutant's code that is executed in place of the functions' own; may be null.
  CodeOps(const loader::Kernel& kernel, const isa::Program::Copies* copies, const Assumptions& assumptions);
  // Of an instruction of the code object. What was handed out stays where it is.
  uint32_t number_of(const isa::Instruction& instruction) {
    if (&instruction < first_ || &instruction >= last_) [[unlikely]]
      enter(instruction);
    return number_ + static_cast<uint32_t>(&instruction - first_);
  }
  const std::vector<Op>& all() const { return ops_; }

 private:
  void enter(const isa::Instruction& instruction);

  const isa::Program& program_;
  const Assumptions assumptions_;
  uint32_t accum_offset_;
  std::vector<Op> ops_; // has room for all code from the beginning
  std::map<const isa::Program::Block*, uint32_t> numbers_;
  const isa::Instruction *first_ = nullptr, *last_ = nullptr; // of the function that was entered last
  uint32_t number_ = 0;
};

} // namespace fmha950::timing
