// Program flow, waits, barriers and wave state: SOPP and what of SOP1/SOPK changes the program counter or
// hardware registers (ISA guide 12.5; machine_gfx950.md sections 1.2 and 1.3).
#include "emulator/machine/control.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/salu.hpp"
#include "emulator/isa/waitcnt.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

namespace code = machine::code;
namespace mode_bit = machine::mode_bit;

void nop(Wave&, const Instruction&) {}
void branch(Wave& wave, const Instruction& in) { wave.next = &in + in.target; }

void set_mode(Wave& wave, uint32_t bit, bool on) { wave.mode = (wave.mode & ~bit) | (on ? bit : 0); }
// The fields of M0 that VGPR indexing reads (program/vgpr_indexing.hpp).
void set_index(Wave& wave, uint32_t fields, uint32_t value) {
  uint32_t& m0 = wave.sgpr[code::m0];
  m0 = (m0 & ~fields) | (value & fields);
}

void return_from_trap(Wave&, const Instruction&) {
  machine::raise_fault("only a trap handler may return from a trap, and no wave is in one");
}

constexpr Row control(const char* mnemonic, ControlRole role, Execute execute) {
  Row row{mnemonic, execute};
  row.control = role;
  return row;
}
constexpr Row plain(const char* mnemonic, Execute execute) {
  return control(mnemonic, ControlRole::none, execute);
}
template <class Condition> constexpr Row branch_if(const char* mnemonic, Condition) {
  return control(mnemonic, ControlRole::branch_if, [](Wave& wave, const Instruction& in) {
    if (Condition{}(wave)) branch(wave, in);
  });
}

void waitcnt(Wave& wave, const Instruction& in) {
  const auto [vmcnt, lgkmcnt] = waitcnt_of(in.simm16);
  wave.memory.wait_vmcnt(wave, vmcnt);
  wave.memory.wait_lgkmcnt(wave, lgkmcnt);
}

constexpr Row rows[] = {
    control("s_nop", ControlRole::nop, nop),
    control("s_sleep", ControlRole::sleep, machine::ask_host), // time is the timing model's concern
    plain("s_wakeup", nop),                                    // ends an s_sleep early
    plain("s_icache_inv", nop),                                // code is decoded once and never written
    plain("s_incperflevel", nop),
    plain("s_decperflevel", nop),
    plain("s_ttracedata", nop),
    plain("s_sethalt",
          [](Wave&, const Instruction& in) {
            if (in.simm16 & 1) machine::raise_fault("s_sethalt 1 halts the wave for ever");
          }),
    control("s_setprio", ControlRole::set_priority,
            [](Wave& wave, const Instruction& in) { wave.priority = in.simm16 & 3; }),
    control("s_waitcnt", ControlRole::waitcnt, waitcnt),
    control("s_barrier", ControlRole::barrier,
            [](Wave& wave, const Instruction&) { wave.state = machine::WaveState::at_barrier; }),
    control("s_endpgm", ControlRole::end, machine::end_program),
    control("s_endpgm_saved", ControlRole::end, machine::end_program),
    control("s_endpgm_ordered_ps_done", ControlRole::end, machine::end_program), // no pixel shader waits
    plain("s_trap", machine::trap),
    plain("s_setkill",
          [](Wave&, const Instruction& in) {
            if (in.simm16 & 1) machine::raise_fault("s_setkill 1 kills the wave");
          }),
    plain("s_sendmsghalt",
          [](Wave&, const Instruction&) { machine::raise_fault("s_sendmsghalt halts the wave for ever"); }),
    plain("s_sendmsg", machine::send_message),
    control("s_branch", ControlRole::branch, branch),
    branch_if("s_cbranch_scc0", [](Wave& w) { return !w.scc; }),
    branch_if("s_cbranch_scc1", [](Wave& w) { return w.scc; }),
    branch_if("s_cbranch_vccz", [](Wave& w) { return w.vcc() == 0; }),
    branch_if("s_cbranch_vccnz", [](Wave& w) { return w.vcc() != 0; }),
    branch_if("s_cbranch_execz", [](Wave& w) { return w.exec() == 0; }),
    branch_if("s_cbranch_execnz", [](Wave& w) { return w.exec() != 0; }),
    // No debugger sets STATUS.COND_DBG_SYS or COND_DBG_USER.
    branch_if("s_cbranch_cdbgsys", [](Wave&) { return false; }),
    branch_if("s_cbranch_cdbguser", [](Wave&) { return false; }),
    branch_if("s_cbranch_cdbgsys_or_user", [](Wave&) { return false; }),
    branch_if("s_cbranch_cdbgsys_and_user", [](Wave&) { return false; }),
    plain("s_getpc_b64", [](Wave& w, const Instruction& in) { w.set_sgpr64(in.dst, in.address + in.bytes); }),
    control("s_setpc_b64", ControlRole::jump,
            [](Wave& w, const Instruction& in) { machine::jump(w, scalar<uint64_t>(w, in.src[0])); }),
    control("s_swappc_b64", ControlRole::call,
            [](Wave& w, const Instruction& in) {
              const uint64_t target = scalar<uint64_t>(w, in.src[0]);
              w.set_sgpr64(in.dst, in.address + in.bytes);
              machine::jump(w, target);
            }),
    control("s_call_b64", ControlRole::call_relative,
            [](Wave& w, const Instruction& in) {
              w.set_sgpr64(in.dst, in.address + in.bytes);
              machine::jump(w, in.address + in.bytes + static_cast<int64_t>(in.simm16) * 4);
            }),
    control("s_getreg_b32", ControlRole::get_register,
            [](Wave& w, const Instruction& in) { w.sgpr[in.dst] = machine::get_register(w, in.simm16); }),
    control("s_setreg_b32", ControlRole::set_register,
            [](Wave& w, const Instruction& in) { machine::set_register(w, in.simm16, w.sgpr[in.dst]); }),
    control("s_setreg_imm32_b32", ControlRole::set_register,
            [](Wave& w, const Instruction& in) { machine::set_register(w, in.simm16, in.words[1]); }),
    control("s_setvskip", ControlRole::set_vskip,
            [](Wave& w, const Instruction& in) {
              const uint32_t bit = scalar<uint32_t>(w, in.src[1]) & 31;
              set_mode(w, mode_bit::vskip, scalar<uint32_t>(w, in.src[0]) >> bit & 1);
            }),
    control("s_set_gpr_idx_on", ControlRole::index_on,
            [](Wave& w, const Instruction& in) {
              set_mode(w, mode_bit::vgpr_indexing, true);
              set_index(w, 0xF0FF, (scalar<uint32_t>(w, in.src[0]) & 0xFF) | (in.words[0] >> 8 & 15) << 12);
            }),
    control("s_set_gpr_idx_off", ControlRole::index_off,
            [](Wave& w, const Instruction&) { set_mode(w, mode_bit::vgpr_indexing, false); }),
    control("s_set_gpr_idx_idx", ControlRole::index_change,
            [](Wave& w, const Instruction& in) { set_index(w, 0xFF, scalar<uint32_t>(w, in.src[0])); }),
    control(
        "s_set_gpr_idx_mode", ControlRole::index_change,
        [](Wave& w, const Instruction& in) { set_index(w, 0xF000, static_cast<uint32_t>(in.simm16) << 12); }),
    control("s_cbranch_g_fork", ControlRole::fork,
            [](Wave& w, const Instruction& in) {
              machine::fork(w, scalar<uint64_t>(w, in.src[0]), scalar<uint64_t>(w, in.src[1]),
                            in.address + in.bytes);
            }),
    control("s_cbranch_i_fork", ControlRole::fork,
            [](Wave& w, const Instruction& in) {
              const uint64_t next = in.address + in.bytes;
              machine::fork(w, w.sgpr64(in.dst), next + static_cast<int64_t>(in.simm16) * 4, next);
            }),
    control("s_cbranch_join", ControlRole::fork,
            [](Wave& w, const Instruction& in) { machine::join(w, scalar<uint32_t>(w, in.src[0])); }),
    control("s_rfe_b64", ControlRole::return_from_trap, return_from_trap),
    control("s_rfe_restore_b64", ControlRole::return_from_trap, return_from_trap),
};

} // namespace
const Rows rows_control = rows_of<rows, all_control>();
} // namespace fmha950::isa::FMHA950_SIMD
