#pragma once
// Which command the first argument names. CLI11 would only say that some command is required.

#include <string>
#include <vector>

namespace fmha950::harness {

// Throws InvalidInput for a first argument that is neither an option nor in `names`, those of the commands: which there
// are, and the nearest.
void require_command(std::vector<std::string> names, int argc, const char* const* argv);

} // namespace fmha950::harness
