#pragma once
// An instruction of a walk through code, as the running check of registers in flight sees it. Nothing is executed.

#include "emulator/observe/in_flight.hpp"
#include "emulator/static_check/code.hpp"
#include "tests/observe/collected_hazards.hpp"

namespace fmha950::test {

inline void watch_step(const static_check::Code& code, size_t at, const machine::Wave& wave,
                       observe::InFlight& in_flight, CollectedHazards& found) {
  const isa::Instruction& in = code.instruction(at);
  const observe::InstructionInfo& info = code.info(at);
  if (info.role == observe::InstructionInfo::Role::waitcnt) in_flight.wait(isa::waitcnt_of(in.simm16));
  in_flight.instruction(wave, in, info.uses, info.in_flight, found);
  for (const static_check::Issue& issue : code.steps()[at].issues())
    in_flight.issue(wave, in, info.uses, info.in_flight, issue.queue, issue.units);
}

} // namespace fmha950::test
