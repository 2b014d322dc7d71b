#pragma once
// Option cure: a program in which the hazard checks found an error starts `cure program` with its own command line when it
// ends (docs/cures.md). That runs the program anew many times, as nothing could go back to the state of a launch here.

#include <string>

namespace fmha950::hip {

// "0" or "1". Returns "" or what would be right.
std::string cure_at_exit(const std::string& value);

bool is_cured_at_exit();

} // namespace fmha950::hip
