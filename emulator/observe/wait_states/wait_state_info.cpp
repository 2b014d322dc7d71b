#include "emulator/observe/wait_states/wait_state_info.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/rates.hpp"

namespace fmha950::observe {
namespace {

using File = isa::RegisterRange::File;
namespace code = machine::code;

constexpr int mode_hwreg = 1, trapsts_hwreg = 3, vskip_bit = 28; // machine_gfx950.md section 1.3

int resource_of(const isa::RegisterRange& range) {
  return range.first + (range.file == File::vector ? resource::vector : resource::scalar);
}

struct Classifier {
  const isa::Instruction& in;
  const isa::Uses& uses;
  const isa::ValuFacts& valu = isa::valu_of(in);
  WaitStateInfo info = {};

  void access_scalar(uint32_t bits, int first, int count) {
    if (bits) info.add_access(bits, resource::scalar + first, count);
  }
  void add_writes(uint32_t vector_effect, uint32_t scalar_effect, uint32_t vector_access) {
    for (const auto& range : uses.writes()) {
      const bool vector = range.file == File::vector;
      if (vector && vector_access) info.add_access(vector_access, resource_of(range), range.count);
      if (vector || range.first != code::scc)
        info.add_effect(vector ? vector_effect : scalar_effect, resource_of(range), range.count);
    }
  }
  bool is_source(const isa::RegisterRange& range, int operand) const {
    const auto kind = range.file == File::vector ? isa::Source::Kind::vgpr : isa::Source::Kind::sgpr;
    return in.src[operand].kind == kind && in.src[operand].index == range.first;
  }

  // H16 is about instructions that M0 is an operand of without being named. VGPR indexing only writes a part of it.
  void hidden_m0() {
    if (isa::sets_index(isa::control_of(in))) return;
    for (const auto& range : uses.reads())
      if (range.implicit && range.file == File::scalar && range.first == code::m0)
        access_scalar(access::m0, code::m0, 1);
  }

  // s_nop, M0 users, s_setreg and its kin.
  void scalar_alu() {
    add_writes(0, effect::salu, 0);
    hidden_m0();
    switch (isa::control_of(in)) {
    case isa::ControlRole::nop: info.states = static_cast<uint8_t>((in.simm16 & 15) + 1); break;
    case isa::ControlRole::get_register:
      info.add_access(access::getreg, resource::hwreg + (in.simm16 & 63), 1);
      break;
    case isa::ControlRole::set_register: set_register(); break;
    case isa::ControlRole::set_vskip:
      info.add_effect(effect::setvskip, resource::hwreg + mode_hwreg, 1);
      break;
    case isa::ControlRole::return_from_trap:
      info.add_access(access::rfe, resource::hwreg + trapsts_hwreg, 1);
      break;
    default: break;
    }
  }
  void set_register() {
    const int id = in.simm16 & 63, offset = in.simm16 >> 6 & 31, bits = (in.simm16 >> 11 & 31) + 1;
    info.add_access(access::setreg, resource::hwreg + id, 1);
    info.add_effect(effect::setreg, resource::hwreg + id, 1);
    if (id == mode_hwreg && offset <= vskip_bit && vskip_bit < offset + bits)
      info.add_effect(effect::setreg, resource::vskip, 1);
  }

  void memory() {
    const bool vmem = in.encoding != isa::Encoding::ds;
    for (const auto& range : uses.reads()) {
      if (range.implicit) continue;
      if (range.file == File::vector) {
        info.add_access(access::memory_read, resource_of(range), range.count);
        // Only store data and compare-and-swap operands are wider than 64 bits.
        if (vmem && range.count > 2) {
          const bool at_sgpr = in.src[0].kind == isa::Source::Kind::sgpr;
          info.add_effect(at_sgpr ? effect::stores_at_sgpr : effect::stores, resource_of(range), range.count);
        }
      } else if (vmem) {
        info.add_access(access::memory_scalar, resource_of(range), range.count);
      }
    }
    if (!isa::memory_of(in).once) hidden_m0();
    add_writes(effect::load, effect::load, access::load_write);
  }

  static uint32_t effect_of(const isa::MatrixFacts& matrix) {
    switch (matrix.unit) {
    case isa::MatrixUnit::dgemm: return matrix.passes == 16 ? effect::dgemm_16 : effect::dgemm_4;
    case isa::MatrixUnit::sgemm: return effect::sgemm;
    default: return effect::xdl;
    }
  }

  void matrix(const isa::MatrixFacts& facts) {
    info.passes = static_cast<uint8_t>(timing::matrix_passes(in));
    const uint32_t result = effect_of(facts);
    const uint32_t c = result == effect::xdl ? access::c_of_xdl : access::c_of_sd;
    // LLVM's operands: A, B, C unless constant, scales; of SMFMAC A, B, index, C.
    const size_t c_operand = facts.form == isa::MatrixForm::sparse       ? 3
                             : in.src[2].kind == isa::Source::Kind::vgpr ? 2
                                                                         : SIZE_MAX;
    for (size_t i = 0; i < uses.reads().size(); ++i) {
      const auto& range = uses.reads()[i];
      if (range.file != File::vector) continue;
      info.add_access(i == c_operand ? c : access::a_b, resource_of(range), range.count);
      if (i == c_operand && result == effect::xdl)
        info.add_effect(effect::xdl_reads_c, resource_of(range), range.count);
    }
    add_writes(result, 0, access::matrix_write);
    if (facts.unit == isa::MatrixUnit::dgemm) info.add_effect(effect::any_dgemm, resource::dgemm, 1);
    access_scalar(access::exec_of_mfma, code::exec, 2);
  }

  // The result's bits are moved within the register: SDWA's dst_sel, VOP3's op_sel for a high half, byte
  // selectors of conversions (H13). f4 conversions with stochastic rounding do it for every selector.
  bool writes_part() const {
    if (in.extension == isa::Extension::sdwa)
      return in.encoding != isa::Encoding::vopc && (in.words[1] >> 8 & 7) != 6; // 6: DWORD
    if (valu.always_moves) return true;
    if (in.encoding != isa::Encoding::vop3 || uses.writes().size() != 1) return false; // VOP3B has no op_sel
    const uint32_t op_sel = in.words[0] >> 11 & 15;
    return op_sel & 8 || (valu.writes == isa::one_byte && op_sel & 4);
  }

  bool selects_lane() const {
    return valu.flow == isa::ValuFlow::read_lane || valu.flow == isa::ValuFlow::write_lane;
  }

  void vector_reads(bool trans, bool dot) {
    const bool dpp = in.extension == isa::Extension::dpp;
    const isa::RegisterRange* last = nullptr; // VGPR operand: of v_dot* it is matrix C
    for (const auto& range : uses.reads())
      if (!range.implicit && range.file == File::vector) last = &range;
    const bool has_c = dot && (valu.accumulates || in.src[2].kind == isa::Source::Kind::vgpr);
    for (const auto& range : uses.reads()) {
      if (range.implicit) continue;
      if (range.file == File::scalar) {
        const bool mask = valu.takes_mask && range.count == 2 && is_source(range, 2);
        const bool select = selects_lane() && is_source(range, 1);
        if (!mask)
          access_scalar(access::constant | (select ? access::lane_select : 0), range.first, range.count);
        continue;
      }
      uint32_t bits = access::valu_read | (trans ? 0 : access::non_trans_read);
      // LLVM also counts what DPP leaves of its destination as read; the hardware does not read that.
      if (dpp && (valu.accumulates || is_source(range, 0) || is_source(range, 1))) bits |= access::dpp;
      if (valu.is_lane_read()) bits |= access::lane_read;
      if (valu.is_row_swap()) bits |= access::permlane;
      if (has_c && &range == last) bits |= access::dot_c;
      info.add_access(bits, resource_of(range), range.count);
    }
  }

  void vector_alu() {
    const bool trans = valu.kind == isa::ValuClass::transcendental, dot = valu.kind == isa::ValuClass::dot;
    vector_reads(trans, dot);
    uint32_t effects = dot ? effect::dot : effect::valu;
    if (trans) effects |= effect::trans;
    if (writes_part()) effects |= effect::partial;
    add_writes(effects, effect::valu_scalar, access::valu_write);
    uint32_t exec = 0, vcc = 0;
    if (in.extension == isa::Extension::dpp) exec |= access::exec_of_dpp;
    if (valu.is_lane_move()) exec |= access::exec_of_lane;
    if (valu.is_row_swap()) exec |= access::exec_of_permlane;
    if (valu.takes_vcc) vcc |= access::div_fmas;
    for (const isa::Source& source : in.src) {
      if (source.kind != isa::Source::Kind::special) continue;
      if (source.index == code::execz) exec |= access::zero_flag;
      if (source.index == code::vccz) vcc |= access::zero_flag;
    }
    access_scalar(exec, code::exec, 2);
    access_scalar(vcc, code::vcc, 2);
    if (valu.kind == isa::ValuClass::fma_f64) info.add_access(access::fma_f64, resource::dgemm, 1);
  }

  void classify() {
    using isa::Encoding;
    switch (in.encoding) {
    case Encoding::sop1:
    case Encoding::sop2:
    case Encoding::sopk:
    case Encoding::sopc:
    case Encoding::sopp: return scalar_alu();
    case Encoding::smem: return add_writes(0, effect::load, 0);
    case Encoding::ds:
    case Encoding::mubuf:
    case Encoding::mtbuf:
    case Encoding::flat: memory(); break;
    case Encoding::vop1:
    case Encoding::vop2:
    case Encoding::vopc:
    case Encoding::vop3:
    case Encoding::vop3p:
    case Encoding::mai:
      if (const isa::MatrixFacts* facts = isa::matrix_of(in))
        matrix(*facts);
      else
        vector_alu();
    }
    info.add_access(access::vskip, resource::vskip, 1);
  }
};

} // namespace

void WaitStateInfo::add_access(uint32_t bits, int first, int count) {
  access_[access_count_++] = {bits, static_cast<uint16_t>(first), static_cast<uint8_t>(count), 0};
  looks_back |= (bits & access::looks_back) != 0;
}

void WaitStateInfo::add_effect(uint32_t bits, int first, int count) {
  const auto longest = static_cast<uint8_t>(longest_requirement(bits, passes));
  effect_[effect_count_++] = {bits, static_cast<uint16_t>(first), static_cast<uint8_t>(count), longest};
}

WaitStateInfo wait_state_info_of_skipped() {
  WaitStateInfo info;
  info.add_access(access::vskip, resource::vskip, 1);
  return info;
}

WaitStateInfo wait_state_info_of(const isa::Instruction& in, const isa::Uses& uses) {
  Classifier classifier{in, uses};
  classifier.classify();
  return classifier.info;
}

} // namespace fmha950::observe
