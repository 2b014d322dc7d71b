#include "emulator/observe/instruction_info.hpp"

#include "emulator/machine/float_mode.hpp"
#include "emulator/observe/errata_check.hpp"
#include "emulator/observe/order/polling.hpp"
#include "emulator/program/row.hpp"

#include <mutex>

namespace fmha950::observe {
namespace {

InstructionInfo derive(const isa::Instruction& in, uint32_t accum_offset) {
  using Role = InstructionInfo::Role;
  InstructionInfo info;
  const isa::ControlRole role = isa::control_of(in);
  if (role == isa::ControlRole::waitcnt) info.role = Role::waitcnt;
  if (role == isa::ControlRole::barrier) info.role = Role::barrier;
  if (role == isa::ControlRole::end) info.role = Role::end;
  info.cache = isa::memory_of(in).cache;
  const bool scalar = info.cache == isa::CacheControl::invalidate_scalar;
  if (info.cache != isa::CacheControl::none && (scalar || in.sc1)) info.role = Role::cache;
  if (has_wrong_selection(in)) info.role = Role::wrong_selection;
  info.uses = isa::uses_of(in, accum_offset);
  info.operation = memory_operation_of(in);
  info.operation.returns = !info.uses.writes().empty();
  info.scalar_units = info.operation.is_memory() && info.operation.bytes <= 4 ? 1 : 2;
  info.in_flight = in_flight_info_of(in, info.uses);
  info.wait_states = wait_state_info_of(in, info.uses);
  info.initialised = initialised_info_of(in, info.uses);
  return info;
}

void mark_polls(const std::vector<isa::Instruction>& code, std::vector<InstructionInfo>& infos) {
  std::vector<isa::Uses> uses;
  for (const InstructionInfo& info : infos) uses.push_back(info.uses);
  for (const size_t poll : polling_instructions(code, uses)) infos[poll].operation.polls = true;
}

} // namespace

const std::vector<InstructionInfo>& info_of(const isa::Program::Block& block, uint32_t accum_offset) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!block.derived) {
    auto infos = std::make_shared<std::vector<InstructionInfo>>();
    infos->reserve(block.instructions.size());
    for (const isa::Instruction& in : block.instructions) infos->push_back(derive(in, accum_offset));
    mark_polls(block.instructions, *infos);
    block.derived = std::move(infos);
  }
  return *static_cast<const std::vector<InstructionInfo>*>(block.derived.get());
}

const IndexedInstructions::Indexed* IndexedInstructions::of(const machine::Wave& wave,
                                                            const isa::Instruction& in) {
  constexpr uint32_t fields = 0xF0FF; // isa::VgprIndex
  const auto [known, is_new] = known_.try_emplace({&in, wave.sgpr[machine::code::m0] & fields});
  if (is_new)
    if (const std::optional<isa::Instruction> moved = machine::as_indexed(wave, in))
      known->second = std::make_unique<Indexed>(*moved, derive(*moved, wave.accum_offset));
  return known->second.get();
}

void InfoLookup::enter(const isa::Instruction& in) {
  const isa::Program::Block& block = program_->block_of(in);
  infos_ = info_of(block, accum_offset_).data();
  first_ = block.instructions.data();
  last_ = first_ + block.instructions.size();
}

} // namespace fmha950::observe
