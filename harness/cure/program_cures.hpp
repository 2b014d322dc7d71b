#pragma once
// Cures of the faults that a program shows, any that uses HIP, on the embedded device: its launches are made again for each try,
// or, where they cannot be, the program runs anew.

#include "harness/cure/finding_cure.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct ProgramCureOptions {
  std::vector<std::string> schedules;
  SearchLimits limits;
  int seconds_of_run = 600; // a program that runs longer does not end by itself
  int seconds_to_look = 60; // for a launch without any change: one that waits for the host would never end
  bool rerun = false;       // the program anew for each try, in any case
  std::function<void(const std::string&)> told = {}; // why the program is run anew, kernel by kernel
};

// The program has to end by itself. The results of a launch are what it leaves in device memory; of a program that is run anew
// what that writes to stdout and its exit code; if two runs write different things, as one that prints times does, the exit code
// alone. Throws InvalidInput for one that launches nothing, does not end in time, has a kernel that does not end, or ends with
// another exit code than 0 without any change.
std::vector<CuredFinding> cure_program(const std::vector<std::string>& command,
                                       const ProgramCureOptions& options);

} // namespace fmha950::harness::cure
