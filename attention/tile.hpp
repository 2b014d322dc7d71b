#pragma once
// Sizes of a tile of scores that the kernels of several folders share. Host and device include this file.

#include "gfx950/wave.hpp"

namespace fmha950::attention {

constexpr int rows_per_wave = 32;
constexpr int keys_per_tile = 64;

constexpr int rows_of_workgroup(int threads) { return threads / gfx950::wave_lanes * rows_per_wave; }

// log2 of what the largest P of a row is before it is rounded to fp8, whose largest value is 448: a row's maximum is lowered by
// as much before P = 2^(s - maximum).
constexpr int fp8_shift = 8;

} // namespace fmha950::attention
