#pragma once
// What one instruction makes of the validity of a wave's registers. The wave holds the values from before it.

#include "emulator/observe/initialised/initialised_registers.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"

namespace fmha950::observe {

void flow_vector(RegisterValidity& registers, const machine::Wave& wave, const isa::Instruction& in,
                 const InitialisedInfo& info);
void flow_lanes(RegisterValidity& registers, const machine::Wave& wave, const isa::Instruction& in,
                const InitialisedInfo& info);
void flow_matrix(RegisterValidity& registers, const machine::Wave& wave, const isa::Instruction& in,
                 const InitialisedInfo& info);
void flow_scalar(RegisterValidity& registers, const machine::Wave& wave, const isa::Instruction& in,
                 const isa::Uses& uses, const InitialisedInfo& info);

inline Bits scalar_pair(const RegisterValidity& registers, const machine::Wave& wave, int code) {
  return {wave.sgpr64(code), registers.sgpr64(code)};
}

} // namespace fmha950::observe
