#pragma once
// All that `silicon-check` does, one after the other.

#include "harness/silicon/silicon_file.hpp"

namespace fmha950::harness {

// `assume`: what the model of the embedded device is to assume, so that a rehearsal has something to find. Throws InvalidInput
// on a GPU if there is any.
SiliconCheck run_silicon_check(const std::vector<std::string>& assume);

} // namespace fmha950::harness
