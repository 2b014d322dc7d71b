#include "emulator/static_check/effects.hpp"

namespace fmha950::static_check {

using observe::MemoryOperation;

Effect effect_of(const Code& code, size_t index) {
  const MemoryOperation& operation = code.info(index).operation;
  const isa::Instruction& in = code.instruction(index);
  if (!operation.is_memory()) return {};
  const bool writes = operation.kind != MemoryOperation::Kind::load;
  if (in.encoding == isa::Encoding::ds) return {.reads_lds = true, .writes_lds = writes};
  return {.reads_lds = operation.lds_dma,
          .writes_lds = operation.lds_dma,
          .reads_memory = true,
          .writes_memory = writes || in.sc0 || in.sc1};
}

bool has_known_effect(const Code& code, size_t index) {
  return !code.info(index).in_flight.flat && code.info(index).role != observe::InstructionInfo::Role::cache &&
         code.steps()[index].leaves == Leaves::no;
}

} // namespace fmha950::static_check
