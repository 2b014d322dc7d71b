#include "emulator/timing/record/op.hpp"

#include "emulator/isa/waitcnt.hpp"
#include "emulator/observe/wait_states/wait_state_info.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"

#include <algorithm>

namespace fmha950::timing {
namespace {

// Clocks from an MFMA's issue to that of one that wants its result: its own slot and the states of
// mfma_gfx950.md 5.2, which the hazard checks know.
int clocks_before(const observe::WaitStateInfo& info, uint32_t accesses) {
  int states = 0;
  for (const auto& effect : info.effects())
    if (effect.bits & observe::effect::matrix)
      states = std::max(states, observe::required_states(effect.bits, info.passes, accesses).states);
  return clocks_per_pass * (1 + states);
}

void add_results(const isa::Instruction& in, const isa::Uses& uses, const InstructionUse& use, Op& op) {
  using namespace observe::access;
  switch (op.pipe) {
  case Pipe::matrix: {
    const observe::WaitStateInfo info = observe::wait_state_info_of(in, uses);
    op.result_clocks = static_cast<int16_t>(clocks_before(info, a_b | valu_read | memory_read));
    op.chain_clocks =
        static_cast<int16_t>(std::max(use.matrix_clocks, clocks_before(info, same_c_of_xdl | same_c_of_sd)));
    for (const isa::RegisterRange& range : uses.reads())
      for (const isa::RegisterRange& written : uses.writes())
        if (range.file == written.file && range.first == written.first && range.count == written.count)
          op.chain = RegisterSlots(range);
    break;
  }
  case Pipe::valu:
    op.result_clocks = static_cast<int16_t>(valu_result_clocks + op.clocks - clocks_per_issue);
    break;
  case Pipe::scalar:
    if (op.kind == Kind::salu) op.result_clocks = salu_result_clocks;
    break;
  default: break;
  }
}

// Whether it touches what is its wave's own alone, and the next instruction follows.
bool is_of_own_registers(Kind kind, isa::ControlRole role) {
  switch (kind) {
  case Kind::mfma:
  case Kind::plain_valu:
  case Kind::packed_valu:
  case Kind::transcendental:
  case Kind::conversion:
  case Kind::wait:
  case Kind::nop: return true;
  case Kind::salu: return role == isa::ControlRole::unsaid;
  default: return role == isa::ControlRole::set_priority;
  }
}

} // namespace

Pipe pipe_of(Kind kind) {
  switch (kind) {
  case Kind::mfma: return Pipe::matrix;
  case Kind::plain_valu:
  case Kind::packed_valu:
  case Kind::transcendental:
  case Kind::conversion: return Pipe::valu;
  case Kind::lds_read:
  case Kind::lds_transpose:
  case Kind::lds_write:
  case Kind::lds_exchange:
  case Kind::lds_atomic: return Pipe::lds;
  case Kind::lds_dma:
  case Kind::vmem_load:
  case Kind::vmem_store:
  case Kind::vmem_atomic:
  case Kind::cache_control: return Pipe::vmem;
  case Kind::smem:
  case Kind::salu: return Pipe::scalar;
  case Kind::branch:
  case Kind::call: return Pipe::branch;
  case Kind::wait:
  case Kind::barrier:
  case Kind::nop:
  case Kind::other_internal:
  case Kind::unknown: return Pipe::internal;
  }
  return Pipe::internal;
}

const char* name_of(Pipe pipe) {
  static constexpr const char* names[] = {"matrix", "valu", "lds", "vmem", "scalar", "branch", "internal"};
  return names[static_cast<size_t>(pipe)];
}

Op op_of(const isa::Instruction& in, uint32_t accum_offset) {
  const InstructionUse use = use_of(in);
  const isa::ControlRole role = isa::control_of(in);
  Op op;
  op.pipe = pipe_of(use.kind);
  op.kind = use.kind;
  op.address = in.laid_out_at;
  op.bytes = in.bytes;
  op.clocks = static_cast<int16_t>(use.matrix_clocks + use.valu_clocks);
  if (op.pipe == Pipe::matrix) op.format = matrix_format_of(in);
  if (const isa::ValuFlow flow = isa::valu_of(in).flow; op.pipe == Pipe::valu) {
    op.makes_codes = flow == isa::ValuFlow::code_from_each || flow == isa::ValuFlow::codes_of_halves;
    op.makes_byte = flow == isa::ValuFlow::byte_in_word;
  }
  op.internal_clocks = static_cast<int16_t>(clocks_per_issue * use.wait_states);
  const isa::Uses uses = isa::uses_of(in, accum_offset);
  op.set_registers(uses.reads(), uses.writes());
  add_results(in, uses, use, op);
  if (role == isa::ControlRole::waitcnt) {
    const auto [vmcnt, lgkmcnt] = isa::waitcnt_of(in.simm16);
    op.vmcnt = static_cast<int8_t>(vmcnt);
    op.lgkmcnt = static_cast<int8_t>(lgkmcnt);
  }
  if (use.kind == Kind::smem) op.lgkm_units = use.smem_bytes > 4 ? 2 : 1; // machine_gfx950.md 1.1
  if (op.pipe == Pipe::lds) op.lgkm_units = 1;
  if (role == isa::ControlRole::set_priority) op.priority = static_cast<int8_t>(in.simm16 & 3);
  if (role == isa::ControlRole::sleep)
    op.internal_clocks = static_cast<int16_t>(sleep_clocks * (in.simm16 & 127));
  op.ends = role == isa::ControlRole::end;
  op.own_registers = is_of_own_registers(use.kind, role);
  return op;
}

} // namespace fmha950::timing
