#pragma once
// The embedded device (docs/device.md): where it lies, its options and faults, other programs on it.

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::harness {

// The folder whose libamdhip64.so is the embedded device, whichever library this process uses: for
// LD_LIBRARY_PATH. Throws DeviceError if it is not there, InvalidInput if FMHA950_DEVICE_DIR says so.
std::filesystem::path embedded_device_folder();

// Throws InvalidInput naming the option, its value and what would be right; on a GPU, which has none, always.
void set_option(const char* name, const std::string& value);

// Everything that a judge of mutants depends on, whatever the judge before it or the environment had set: all checks,
// reports to nowhere but take_hazards(), none left out, one thread (mutants are what runs in parallel), no mutant, and
// `budget` instructions for each wave, so that one whose counter runs wild ends soon.
void set_judging_options(const std::string& budget);

// Takes the device's fault back, so that it runs again. Returns its text; "" where there is none, which is
// another error than a kernel's.
std::string clear_fault();

// `device watch PROGRAM ARGS...`: runs any HIP program on the embedded device under its hazard checks.
// Prints what the checks found, errors first, and "N errors, N warnings, N notes". Gives the exit code: hazard's if
// there is an error, else the program's own. Throws DeviceError when nothing was checked: the program did not start,
// or called no HIP.
int watch(const std::vector<std::string>& command);

} // namespace fmha950::harness
