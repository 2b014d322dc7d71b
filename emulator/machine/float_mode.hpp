#pragma once
// MODE's rounding and denormal fields (machine_gfx950.md section 1.3). Instructions are written and compiled
// for the default, round to nearest even with denormals kept. In any other MODE an instruction that obeys it
// (isa::Row::obeys_mode) runs its same code with the host rounding as asked, on the slow path of operands,
// where denormals are flushed by type.

#include "emulator/machine/wave.hpp"

namespace fmha950::machine {

constexpr uint32_t float_fields = 0xFF, default_float_mode = 0xF0;

void execute_in_mode(Wave& wave, const isa::Instruction& in);

[[gnu::always_inline]] inline void execute(Wave& wave, const isa::Instruction& in) {
  if ((wave.mode & float_fields) == default_float_mode) [[likely]]
    in.execute(wave, in);
  else
    execute_in_mode(wave, in);
}

} // namespace fmha950::machine
