#pragma once
// What device memory holds, in a few characters: two runs of a launch have written the same bytes where these are the same.

#include <string>

namespace fmha950::hip {

// Of all allocations but what is the device library's and the host's (AddressSpace::allocate_coherent). Pages that nobody has
// touched count as those of zeros, which they read as.
std::string digest_of_memory();

} // namespace fmha950::hip
