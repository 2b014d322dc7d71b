#pragma once
// `device watch PROGRAM ARGS...`: runs any HIP program on the embedded device under its hazard checks.

#include <string>
#include <vector>

namespace fmha950::harness {

// Prints what the checks found, errors first, and "N errors, N warnings, N notes". Gives the exit code: hazard's if
// there is an error, else the program's own. Throws DeviceError when nothing was checked: the program did not start,
// or called no HIP.
int watch(const std::vector<std::string>& command);

} // namespace fmha950::harness
