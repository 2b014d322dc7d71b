#pragma once
// Names the two sides of a hazard from the running wave.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/report/hazard.hpp"

namespace fmha950::observe {

inline Party party_of(const machine::Wave& wave, const isa::Instruction& in, int lane = -1) {
  return {in.address, wave.workgroup->linear_id, wave.index, lane, in.inserted};
}
inline const loader::Kernel* kernel_of(const machine::Wave& wave) { return wave.workgroup->launch->kernel; }

} // namespace fmha950::observe
