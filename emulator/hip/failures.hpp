#pragma once
// One line on stderr for each call that fails: many programs only print the number that they get. Option quiet.

#include "emulator/hip/hip_abi.hpp"

#include <string>

namespace fmha950::hip {

void be_quiet(bool quiet);

// "fmha950: hipMalloc from main: hipErrorOutOfMemory: ...", unless the same detail has been said. Says nothing of answers
// that are no failures, such as hipErrorNotReady.
void say_failure(hipError_t code, const std::string& detail);

// The text as it is, quiet or not. Calls that fail for this reason are not said again.
void say(const std::string& text);

// Likewise a note: "fmha950: note: ...".
void say_note(const std::string& text);

} // namespace fmha950::hip
