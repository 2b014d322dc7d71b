// Program flow, waits, barriers and wave state: SOPP and what of SOP1/SOPK changes the program counter or
// hardware registers (ISA guide 12.5; machine_gfx950.md sections 1.2 and 1.3).
#include "emulator/machine/control.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/salu.hpp"
#include "emulator/isa/waitcnt.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

namespace code = machine::code;

void nop(Wave&, const Instruction&) {}
void branch(Wave& wave, const Instruction& in) { wave.next = &in + in.target; }

template <class Condition> constexpr Row branch_if(const char* mnemonic, Condition) {
  return {mnemonic, [](Wave& wave, const Instruction& in) {
            if (Condition{}(wave)) branch(wave, in);
          }};
}

void waitcnt(Wave& wave, const Instruction& in) {
  const auto [vmcnt, lgkmcnt] = waitcnt_of(in.simm16);
  wave.memory.wait_vmcnt(wave, vmcnt);
  wave.memory.wait_lgkmcnt(wave, lgkmcnt);
}

constexpr Row rows[] = {
    {"s_nop", nop},
    {"s_sleep", nop},      // time is the timing model's concern
    {"s_wakeup", nop},     // ends an s_sleep early
    {"s_icache_inv", nop}, // code is decoded once and never written
    {"s_incperflevel", nop},
    {"s_decperflevel", nop},
    {"s_ttracedata", nop},
    {"s_sethalt",
     [](Wave&, const Instruction& in) {
       if (in.simm16 & 1) machine::raise_fault("s_sethalt 1 halts the wave for ever");
     }},
    {"s_setprio", [](Wave& wave, const Instruction& in) { wave.priority = in.simm16 & 3; }},
    {"s_waitcnt", waitcnt},
    {"s_barrier", [](Wave& wave, const Instruction&) { wave.state = machine::WaveState::at_barrier; }},
    {"s_endpgm", machine::end_program},
    {"s_endpgm_saved", machine::end_program},
    {"s_trap", machine::trap},
    {"s_sendmsg", nop},
    {"s_branch", branch},
    branch_if("s_cbranch_scc0", [](Wave& w) { return !w.scc; }),
    branch_if("s_cbranch_scc1", [](Wave& w) { return w.scc; }),
    branch_if("s_cbranch_vccz", [](Wave& w) { return w.vcc() == 0; }),
    branch_if("s_cbranch_vccnz", [](Wave& w) { return w.vcc() != 0; }),
    branch_if("s_cbranch_execz", [](Wave& w) { return w.exec() == 0; }),
    branch_if("s_cbranch_execnz", [](Wave& w) { return w.exec() != 0; }),
    {"s_getpc_b64", [](Wave& w, const Instruction& in) { w.set_sgpr64(in.dst, in.address + in.bytes); }},
    {"s_setpc_b64", [](Wave& w, const Instruction& in) { machine::jump(w, scalar<uint64_t>(w, in.src[0])); }},
    {"s_swappc_b64",
     [](Wave& w, const Instruction& in) {
       const uint64_t target = scalar<uint64_t>(w, in.src[0]);
       w.set_sgpr64(in.dst, in.address + in.bytes);
       machine::jump(w, target);
     }},
    {"s_call_b64",
     [](Wave& w, const Instruction& in) {
       w.set_sgpr64(in.dst, in.address + in.bytes);
       machine::jump(w, in.address + in.bytes + static_cast<int64_t>(in.simm16) * 4);
     }},
    {"s_getreg_b32",
     [](Wave& w, const Instruction& in) { w.sgpr[in.dst] = machine::get_register(w, in.simm16); }},
    {"s_setreg_b32",
     [](Wave& w, const Instruction& in) { machine::set_register(w, in.simm16, w.sgpr[in.dst]); }},
    {"s_setreg_imm32_b32",
     [](Wave& w, const Instruction& in) { machine::set_register(w, in.simm16, in.words[1]); }},
};

} // namespace
const Rows rows_control = rows_of(rows);
} // namespace fmha950::isa::FMHA950_SIMD
