#pragma once
// Option break: where launches print a wave's state, on stderr (observe/breakpoint/breakpoint.hpp).

#include "emulator/observe/breakpoint/breakpoint.hpp"

#include <memory>
#include <string>

namespace fmha950::hip {

// "" takes the breakpoint away. Returns "" or what would be right.
std::string break_at(const std::string& text);

// The breakpoint of this launch; null when there is none to watch for.
std::unique_ptr<observe::Breakpoint> breakpoint_of(const machine::Launch& launch);

} // namespace fmha950::hip
