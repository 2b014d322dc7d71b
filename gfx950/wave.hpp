#pragma once
// Of a wave, for kernels and for the host that launches them.

namespace fmha950::gfx950 {

constexpr int wave_lanes = 64;

} // namespace fmha950::gfx950
