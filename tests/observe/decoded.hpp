#pragma once
// Assembly text as decoded instructions, for tests that drive a check without executing anything.

#include "emulator/isa/program.hpp"
#include "tests/emulator/one_instruction.hpp"

namespace fmha950::test {

class Decoded {
 public:
  static constexpr uint32_t accum_offset = 256;
  explicit Decoded(std::string_view text) : bytes_(assemble(text)) {
    const auto begin = reinterpret_cast<uint64_t>(bytes_.data());
    block_ = &program_.decode(begin, begin + bytes_.size(), accum_offset);
  }
  Decoded(const Decoded&) = delete;
  std::span<const isa::Instruction> instructions() const { // without the guard behind the last one
    return std::span(block_->instructions).first(block_->instructions.size() - 1);
  }
  const isa::Instruction& operator[](size_t index) const { return block_->instructions[index]; }

 private:
  std::vector<uint8_t> bytes_;
  isa::Program program_;
  const isa::Program::Block* block_;
};

} // namespace fmha950::test
