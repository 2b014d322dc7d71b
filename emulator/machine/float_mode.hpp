#pragma once
// MODE's rounding and denormal fields (machine_gfx950.md section 1.3). Instructions are written and compiled
// for the default, round to nearest even with denormals kept. In any other MODE an instruction that obeys it
// (isa::Row::obeys_mode) runs its same code with the host rounding as asked, on the slow path of operands,
// where denormals are flushed by type. MODE can also skip vector instructions, and move the registers of VALU ones.

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"

#include <optional>

namespace fmha950::machine {

constexpr uint32_t float_fields = 0xFF, default_float_mode = 0xF0;
constexpr uint32_t steering_bits = mode_bit::vgpr_indexing | mode_bit::vskip;

inline bool is_skipped(const Wave& wave, const isa::Instruction& in) {
  return wave.mode & mode_bit::vskip && isa::is_vector(in.encoding);
}
inline bool is_indexed(const Wave& wave, const isa::Instruction& in) {
  return wave.mode & mode_bit::vgpr_indexing && isa::is_valu(in.encoding);
}
// How a wave of this size sees an instruction whose registers M0 moves; nothing if it does nothing.
std::optional<isa::Instruction> as_indexed(const Wave& wave, const isa::Instruction& in);

void execute_in_mode(Wave& wave, const isa::Instruction& in);

[[gnu::always_inline]] inline void execute(Wave& wave, const isa::Instruction& in) {
  if ((wave.mode & (float_fields | steering_bits)) == default_float_mode) [[likely]]
    in.execute(wave, in);
  else
    execute_in_mode(wave, in);
}

} // namespace fmha950::machine
