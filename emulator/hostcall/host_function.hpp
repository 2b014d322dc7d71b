#pragma once
// Service 1: a kernel has the host call one of its functions.

#include <cstdint>

namespace fmha950::hostcall {

// words[0] is the function's address, the others are its input; its two words of output take the place of the first two.
// Throws machine::Fault where the address is no code of the host.
void call_host_function(uint64_t* words);

} // namespace fmha950::hostcall
