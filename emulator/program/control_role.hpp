#pragma once
// What an instruction does to the flow of a program, as its row says it (row.hpp).

#include <cstdint>

namespace fmha950::isa {

enum class ControlRole : uint8_t {
  unsaid,        // rows of program control all say one
  none,          // the next instruction follows
  branch,        // to Instruction::target
  branch_if,     // there, or on
  jump,          // to where a register says
  call,          // likewise, and comes back
  call_relative, // to where its constant says, and comes back
  end,           // of the wave
  waitcnt,
  barrier,
  nop, // wait states
  sleep,
  set_priority,
  get_register, // of the hardware
  set_register,
  set_vskip,
  return_from_trap
};

constexpr bool is_relative_branch(ControlRole role) {
  return role == ControlRole::branch || role == ControlRole::branch_if;
}

} // namespace fmha950::isa
