#include "emulator/timing/online/code_ops.hpp"

#include "emulator/memory/fault.hpp"
#include "emulator/timing/model/assumed_op.hpp"

#include <memory>
#include <mutex>

namespace fmha950::timing {
namespace {

// The instructions of one function, in order, without assumptions.
const std::vector<Op>& ops_of(const isa::Program::Block& block, uint32_t accum_offset) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!block.modelled) {
    auto ops = std::make_shared<std::vector<Op>>();
    ops->reserve(block.instructions.size());
    for (const isa::Instruction& in : block.instructions) {
      const bool guard = in.bytes == 0; // faults when it is executed
      ops->push_back(guard ? Op() : op_of(in, accum_offset));
      if (guard) ops->back().address = in.laid_out_at; // which fetch is ahead of, too
    }
    block.modelled = std::move(ops);
  }
  return *static_cast<const std::vector<Op>*>(block.modelled.get());
}

} // namespace

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
    for (const Op& op : ops_of(block, accum_offset_)) ops_.push_back(assumed(op, assumptions_));
  }
  number_ = known->second;
  first_ = block.instructions.data();
  last_ = first_ + block.instructions.size();
}

} // namespace fmha950::timing
