#pragma once
// Cures of the faults that a program shows, any that uses HIP: it runs anew for each try, on the embedded device.

#include "harness/cure/finding_cure.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct ProgramCureOptions {
  std::vector<std::string> schedules;
  SearchLimits limits;
  int seconds_of_run = 600; // a program that runs longer does not end by itself
};

// The program has to end by itself. Its results are what it writes to stdout and its exit code; if two runs write different
// things, as one that prints times does, the exit code alone. Throws InvalidInput for one that launches nothing, does not end
// in time, has a kernel that does not end, or ends with another exit code than 0 without any change.
std::vector<CuredFinding> cure_program(const std::vector<std::string>& command,
                                       const ProgramCureOptions& options);

} // namespace fmha950::harness::cure
