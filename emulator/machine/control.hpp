#pragma once
// What control instructions do to a wave beyond its registers.

#include "emulator/machine/wave.hpp"

#include <cstdint>

namespace fmha950::machine {

void end_program(Wave& wave, const isa::Instruction& in); // s_endpgm: drains the memory queues, then ends
void ask_host(Wave& wave, const isa::Instruction& in);    // s_sleep: the host may have to answer
// s_sendmsg: an interrupt asks the host; the other kinds are for trap handlers and graphics, and end in a Fault that says so
// (machine_gfx950.md section 1.2).
void send_message(Wave& wave, const isa::Instruction& in);
void trap(Wave& wave, const isa::Instruction& in); // s_trap: __builtin_trap and assert end in a Fault
void jump(Wave& wave, uint64_t address);           // to code of the same code object, decoded when needed

// s_cbranch_g_fork, s_cbranch_i_fork and s_cbranch_join (ISA guide 12.1 to 12.3): of two ways to go the wave takes that of
// fewer lanes first; the other one waits on a stack in SGPRs, whose height is MODE.CSP.
void fork(Wave& wave, uint64_t condition, uint64_t target, uint64_t next);
void join(Wave& wave, uint32_t height);

// s_getreg/s_setreg: id[5:0], offset[10:6], size-1[15:11] (machine_gfx950.md section 1.3).
uint32_t get_register(const Wave& wave, int simm16);
void set_register(Wave& wave, int simm16, uint32_t value);
// Whether there is one that answers; of any other the launch stops.
bool can_get_register(int simm16);
bool can_set_register(int simm16);

} // namespace fmha950::machine
