#pragma once
// Options of the device by name: "schedule", "threads", "mfma", "simd"; from the environment as
// FMHA950_SCHEDULE and so on (docs/device.md).

#include "emulator/machine/launch.hpp"

#include <string>

namespace fmha950::hip {

// Both return "" or what is wrong and what would be right; options are then as before.
std::string parse_option(const std::string& name, const std::string& value, machine::Options& options);
std::string options_from_environment(machine::Options& options);

} // namespace fmha950::hip
