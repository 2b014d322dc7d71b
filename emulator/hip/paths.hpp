#pragma once
// Option paths: launches leave the ways that waves went while operations
// were in flight (observe/flight_paths.hpp).

#include "emulator/observe/flight_paths.hpp"

#include <memory>
#include <string>

namespace fmha950::hip {

std::string follow_paths(const std::string& text); // "0" or "1". Returns "" or what would be right

// Those of this launch; null when nobody asked.
std::unique_ptr<observe::FlightPaths> paths_of(const machine::Launch& launch);

// Keeps what a launch that is over left, and what all since the last call have left.
void keep_paths(const observe::FlightPaths& paths);
std::string take_paths();

} // namespace fmha950::hip
