#include "emulator/timing/online/code_ops.hpp"

#include "emulator/memory/fault.hpp"
#include "emulator/timing/model/assumed_op.hpp"

namespace fmha950::timing {

CodeOps::CodeOps(const loader::Kernel& kernel, const isa::Program::Copies* copies,
                 const Assumptions& assumptions)
    : program_(kernel.object->program()), assumptions_(assumptions), accum_offset_(kernel.accum_offset) {
  uint64_t bytes = 0, copied = 0;
  for (const loader::CodeObject::Function& function : kernel.object->functions())
    bytes += function.end - function.begin;
  if (copies)
    for (const auto& block : copies->blocks) copied += block->instructions.size();
  constexpr uint64_t least_instruction = 4;
  ops_.reserve(bytes / least_instruction + kernel.object->functions().size() +
               copied); // each ends in a guard
}

void CodeOps::enter(const isa::Instruction& instruction) {
  const isa::Program::Block& block = program_.block_of(instruction);
  const auto [known, is_new] = numbers_.try_emplace(&block, static_cast<uint32_t>(ops_.size()));
  if (is_new) {
    if (ops_.size() + block.instructions.size() > ops_.capacity())
      machine::raise_fault("schedule timed: code that is in no function; FMHA950_SCHEDULE=eager runs it");
    for (const isa::Instruction& in : block.instructions) {
      const bool guard = in.bytes == 0; // faults when it is executed
      ops_.push_back(guard ? Op() : assumed(op_of(in, accum_offset_), assumptions_));
    }
  }
  number_ = known->second;
  first_ = block.instructions.data();
  last_ = first_ + block.instructions.size();
}

} // namespace fmha950::timing
