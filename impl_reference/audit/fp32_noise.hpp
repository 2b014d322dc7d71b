#pragma once
// What fp32 leaves of scores, sums and an LSE.

#include <algorithm>
#include <cmath>

namespace fmha950::reference::FMHA950_SIMD {

inline constexpr float fp32_half_ulp = 0x1p-24f; // of a number from 1 to 2
inline constexpr double fp32_least = 0x1p-126;   // normal number; a device may take smaller ones for 0
inline constexpr float fp32_left = 1e-6f; // of a square that all but vanishes: not to be told from nothing

// What the fp32 sums of the second product, of 16 keys and more a step, and the division leave, relative to
// the output.
inline double fp32_noise(double keys) { return fp32_half_ulp * std::sqrt(keys / 48 + 16); }

// What the logarithm, its unit, the LSE's own rounding, the scale that all scores share and a soft cap leave
// of an LSE: relative to the largest number on the way, which is 8 where P is shifted.
inline double lse_rounding(double lse, double largest_score, double cap) {
  constexpr double largest_shift = 8;
  return fp32_half_ulp * std::max({std::fabs(lse), std::fabs(largest_score), cap, largest_shift});
}

// A sum that grows evenly is rounded in steps whose errors add up to sqrt(terms / 3) of them; an error is anywhere in half an ulp.
inline double sum_noise(double terms) { return std::sqrt(terms / 3) * fp32_half_ulp * 0.45; }

// What fp32 leaves of a score, relative to it: its own rounding, and that of its sum over the columns of q and k, one after the
// other at the most (DESIGN.md section 4: the order within a matrix instruction is not public). It shows in the LSE of rows whose scores are large.
inline float score_noise(double columns) {
  return static_cast<float>(std::hypot(double{fp32_half_ulp}, sum_noise(columns)));
}

inline double lse_variance(double rounding, double keys, double sum_error) {
  return sum_noise(keys) * sum_noise(keys) + 2.25 * rounding * rounding + sum_error;
}

} // namespace fmha950::reference::FMHA950_SIMD
