#pragma once
// Decoded functions of one code object. Decoded once, on the first launch that reaches them.

#include "emulator/program/instruction.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::isa {

class Program {
 public:
  struct Block { // one function: contiguous code
    uint64_t begin = 0, end = 0;
    std::vector<Instruction> instructions; // last entry: a guard that faults when execution runs off the end
    std::vector<int32_t> index_of;         // by (address - begin) / 4; -1 inside an instruction
    const Instruction* at(uint64_t address) const; // null inside an instruction or outside the block
    // What a listener derives from the instructions, kept as long as they are. Guarded by its owner.
    mutable std::shared_ptr<const void> derived;
    // Likewise what the check without running has proved of a kernel that begins here.
    mutable std::shared_ptr<const void> proved;
    // Likewise what the cycle model has to know of each.
    mutable std::shared_ptr<const void> modelled;
  };

  // Decodes [begin, end) of device memory; AccVGPR operands are offset by accum_offset, so that a function
  // called by kernels with different register splits is decoded once for each.
  const Block& decode(uint64_t begin, uint64_t end, uint32_t accum_offset);
  // Instruction at a device address in code decoded so far for that accum_offset, or null.
  const Instruction* find(uint64_t address, uint32_t accum_offset) const;
  const Block& block_of(const Instruction& instruction) const; // that holds this very object

  // Altered copies of functions, beside the originals (observe/mutation/mutation.hpp). A launch that has them executes the
  // others as they are.
  struct Copies {
    std::vector<std::unique_ptr<Block>> blocks;
    const Block* of(uint64_t address) const;       // of the function that holds it; null: there is none
    const Instruction* at(uint64_t address) const; // likewise, and null inside an instruction
  };
  // Only the last ones are kept.
  const Copies* find_copies(const std::string& name) const; // null: the last ones have another name
  const Copies& keep_copies(const std::string& name, Copies copies);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<uint32_t, uint64_t>, std::unique_ptr<Block>> blocks_; // by accum_offset, begin
  std::string name_of_copies_;
  Copies copies_;
};

// The instruction that these bytes are, at a device address.
Instruction decode_instruction(const uint8_t* code, size_t available, uint64_t address,
                               uint32_t accum_offset);

// Text of the instruction ("v_add_f32_e32 v0, v1, v2"), through LLVM's printer.
std::string disassemble(const Instruction& instruction);

} // namespace fmha950::isa
