#pragma once
// Cures of the faults that a program shows, any that uses HIP: it runs anew for each try, on the embedded device.

#include "harness/cure/finding_cure.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct ProgramCureOptions {
  std::vector<std::string> schedules;
  SearchLimits limits;
};

// The program has to end by itself with exit code 0. Two of its runs must write the same to stdout: bits are compared by that.
// Throws InvalidInput for one that does not, or that launches nothing.
std::vector<CuredFinding> cure_program(const std::vector<std::string>& command,
                                       const ProgramCureOptions& options);

} // namespace fmha950::harness::cure
