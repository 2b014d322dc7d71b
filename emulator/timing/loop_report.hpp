#pragma once
// `device --loops`: the loops of a code object and what an iteration of each costs, as text.

#include "emulator/loader/code_object.hpp"

#include <string>

namespace fmha950::timing {

// Throws LoadError when the code object has no kernels.
std::string loop_report(const loader::CodeObject& code, int waves_per_simd);

} // namespace fmha950::timing
