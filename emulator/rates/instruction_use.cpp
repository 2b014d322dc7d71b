#include "emulator/rates/instruction_use.hpp"

#include "emulator/isa/decode/mc.hpp"
#include "emulator/isa/waitcnt.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "emulator/rates/rates.hpp"

#include <fmt/format.h>

namespace fmha950::timing {
namespace {

void use_of_lds(const isa::MemoryFacts& facts, InstructionUse& use) {
  const int bytes = facts.bytes_of_lane();
  use.lds_bytes = wave_lanes * bytes;
  if (bytes == 0) { // ds_nop, ds_append: no data of the lanes
    use.kind = Kind::lds_exchange;
    use.lds_write_clocks = 1;
    return;
  }
  // b64_tr_b16: 2 phases (data/calibration/lds_phases.csv). Guesses: the other transposes do the same; a lane
  // exchange uses the port that takes write data; an atomic is a write, and a read of its old value.
  const bool reads = facts.kind == isa::MemoryKind::load || facts.kind == isa::MemoryKind::atomic;
  if (reads) use.lds_read_clocks = lds_clocks(LdsDirection::read, bytes);
  if (facts.kind != isa::MemoryKind::load) use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
  use.kind = facts.transposed_bits > 0                      ? Kind::lds_transpose
             : facts.kind == isa::MemoryKind::load          ? Kind::lds_read
             : facts.kind == isa::MemoryKind::store         ? Kind::lds_write
             : facts.kind == isa::MemoryKind::lane_exchange ? Kind::lds_exchange
                                                            : Kind::lds_atomic;
}

void use_of_vmem(const isa::MemoryFacts& facts, bool to_lds, InstructionUse& use) {
  const int bytes = facts.bytes_of_lane();
  use.vmem_bytes = wave_lanes * bytes;
  if (to_lds) {
    use.kind = Kind::lds_dma;
    use.lds_bytes = wave_lanes * std::max(bytes, 4); // sub-dword loads fill a dword: machine_gfx950.md 3.2
    use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
    return;
  }
  use.kind = facts.kind == isa::MemoryKind::load     ? Kind::vmem_load
             : facts.kind == isa::MemoryKind::store  ? Kind::vmem_store
             : facts.kind == isa::MemoryKind::atomic ? Kind::vmem_atomic
                                                     : Kind::cache_control;
}

Kind kind_of(isa::ControlRole role) {
  switch (role) {
  case isa::ControlRole::branch:
  case isa::ControlRole::branch_if:
  case isa::ControlRole::fork:
  case isa::ControlRole::jump:
  case isa::ControlRole::end: return Kind::branch;
  case isa::ControlRole::call:
  case isa::ControlRole::call_relative: return Kind::call;
  case isa::ControlRole::waitcnt: return Kind::wait;
  case isa::ControlRole::barrier: return Kind::barrier;
  case isa::ControlRole::nop: return Kind::nop;
  case isa::ControlRole::unsaid:
  case isa::ControlRole::none:
  case isa::ControlRole::sleep:
  case isa::ControlRole::set_priority:
  case isa::ControlRole::get_register:
  case isa::ControlRole::set_register:
  case isa::ControlRole::set_vskip:
  case isa::ControlRole::index_on:
  case isa::ControlRole::index_off:
  case isa::ControlRole::index_change:
  case isa::ControlRole::return_from_trap: break;
  }
  return Kind::other_internal;
}

Kind kind_of(isa::ValuClass valu) {
  switch (valu) {
  case isa::ValuClass::packed: return Kind::packed_valu;
  case isa::ValuClass::conversion: return Kind::conversion;
  case isa::ValuClass::transcendental: return Kind::transcendental;
  case isa::ValuClass::none:
  case isa::ValuClass::plain:
  case isa::ValuClass::wide_multiply:
  case isa::ValuClass::dot:
  case isa::ValuClass::fma_f64: break;
  }
  return Kind::plain_valu;
}

void use_of_sopp(const isa::Instruction& in, InstructionUse& use) {
  use.kind = kind_of(isa::control_of(in));
  // 6.2: "waitcnt/nop-like internal instructions aside"; which ones, by GCN's usage: guess.
  use.issues = use.kind == Kind::branch;
  if (use.kind == Kind::nop) use.wait_states = (in.simm16 & 15) + 1; // 1.2
}

} // namespace

std::string assembler_mnemonic_of(const isa::Instruction& in) {
  if (in.row) return in.row->mnemonic;
  return isa::identify({reinterpret_cast<const uint8_t*>(in.words), in.bytes}, in.address).mnemonic;
}

const char* name_of(MatrixFormat format) {
  static constexpr const char* names[] = {"bf16", "fp8", "f8f6f4"};
  return names[static_cast<size_t>(format)];
}

MatrixFormat matrix_format_of(const isa::Instruction& in) {
  const isa::MatrixFacts& matrix = *isa::matrix_of(in);
  return matrix.is_f8f6f4() ? MatrixFormat::f8f6f4 : matrix.fp8 ? MatrixFormat::fp8 : MatrixFormat::bf16;
}

InstructionUse use_of(const isa::Instruction& in) {
  InstructionUse use;
  if (!in.row && assembler_mnemonic_of(in).empty()) return use;
  const isa::MemoryFacts& facts = isa::memory_of(in);
  switch (in.encoding) {
  case isa::Encoding::sop1:
  case isa::Encoding::sop2:
  case isa::Encoding::sopc:
  case isa::Encoding::sopk:
    use.kind = kind_of(isa::control_of(in));
    if (use.kind == Kind::other_internal) use.kind = Kind::salu;
    return use;
  case isa::Encoding::sopp: use_of_sopp(in, use); return use;
  case isa::Encoding::smem:
    use.kind = Kind::smem;
    use.smem_bytes = facts.bytes;
    return use;
  case isa::Encoding::ds:
    if (in.row) use_of_lds(facts, use);
    return use;
  case isa::Encoding::mubuf:
  case isa::Encoding::mtbuf:
  case isa::Encoding::flat:
    if (in.row) use_of_vmem(facts, isa::is_lds_dma(in), use);
    return use;
  case isa::Encoding::mai:
    if (isa::matrix_of(in)) {
      use.kind = Kind::mfma;
      use.matrix_clocks = clocks_per_pass * matrix_passes(in);
      return use;
    }
    break;
  default: break;
  }
  use.valu_clocks = valu_clocks(isa::valu_of(in));
  use.kind = kind_of(isa::valu_of(in).kind);
  return use;
}

std::string mfma_name(const isa::Instruction& in) {
  const std::string mnemonic = assembler_mnemonic_of(in);
  const isa::MatrixFacts* matrix = isa::matrix_of(in);
  if (!matrix || !matrix->is_f8f6f4()) return mnemonic;
  return fmt::format("{} {} x {}", mnemonic, f8f6f4_format(cbsz(in)), f8f6f4_format(blgp(in)));
}

std::string wait_name(const isa::Instruction& in) {
  // A field at its maximum waits for nothing.
  const auto [vmcnt, lgkmcnt] = isa::waitcnt_of(in.simm16);
  const int expcnt = in.simm16 >> 4 & 7;
  std::string text;
  const auto add = [&](const char* name, int value, int most) {
    if (value < most) text += fmt::format("{}{}({})", text.empty() ? "" : " ", name, value);
  };
  add("vmcnt", vmcnt, 63);
  add("expcnt", expcnt, 7);
  add("lgkmcnt", lgkmcnt, 15);
  return text.empty() ? "nothing" : text;
}

} // namespace fmha950::timing
