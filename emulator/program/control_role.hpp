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
  index_on, // VGPR indexing (machine_gfx950.md section 1.2)
  index_off,
  index_change, // its index or its operands, in M0
  return_from_trap,
  fork // or join: goes on, or to where a register or a stack of them says, with another EXEC
};

constexpr bool is_relative_branch(ControlRole role) {
  return role == ControlRole::branch || role == ControlRole::branch_if;
}

constexpr bool sets_index(ControlRole role) { // writes a part of M0
  return role == ControlRole::index_on || role == ControlRole::index_change;
}

} // namespace fmha950::isa
