#pragma once
#include "numerics/minifloat.hpp"

namespace fmha950::numerics {

/// One step of v_prng_b32's 32-bit LFSR; 0 maps to 0 (facts 4.3).
FMHA950_NUMERIC uint32_t prng_b32(uint32_t x) { return x << 1 ^ (x >> 31 ? 0xc5u : 0u); }

} // namespace fmha950::numerics
