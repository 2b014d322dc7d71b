#pragma once
// Which command the first argument names. CLI11 would only say that some command is required.

namespace CLI {
class App;
}

namespace fmha950::harness {

// Throws InvalidInput for a first argument that is neither an option nor a command of `app`: which there are,
// and the nearest.
void require_command(const CLI::App& app, int argc, const char* const* argv);

} // namespace fmha950::harness
