#pragma once
// The arithmetic of one element of a matrix instruction, D = C + sum over k of A[k]*B[k], in the two forms of
// DESIGN.md section 4. Scalar and exact by construction: the device's fast paths must reproduce these bits.
// What gfx950 does exactly is not public (mfma_gfx950.md, section 1.3).
#include "numerics/formats.hpp"
#include <span>

namespace fmha950::numerics {

/// Block length over k of E8M0 scales.
inline constexpr int scale_block = 32;

// --- fma form

/// a*b+c in f32, nearest even. NaN: the first of a, b, c wins, quieted; an invalid operation gives 0xFFC00000
/// (facts 1.3: rocjitsu). The rule is spelled out since what x86 returns depends on its operand order.
float mfma_fma(float a, float b, float c);
double mfma_fma(double a, double b, double c);

/// mfma_fma over k = 0, 1, ..., starting at c.
float dot_fma(std::span<const float> a, std::span<const float> b, float c);
double dot_fma(std::span<const double> a, std::span<const double> b, double c);

/// Per block of 32 k: a chain from zero, times 2^(scale_a + scale_b - 254), then added to the accumulator, in
/// order of blocks. Scales are E8M0 bytes, one per block; a NaN scale makes its block's sum NaN (0x7FC00000).
float dot_fma_scaled(std::span<const float> a, std::span<const float> b, float c,
                     std::span<const uint8_t> scale_a, std::span<const uint8_t> scale_b);

// --- fdpa form

/// How products of one step are summed before C enters (facts 1.2).
enum class Addends : uint8_t {
  truncated, ///< TR: each product truncated to `fraction_bits` below the largest
  even_odd,  ///< GTR: even and odd k form two sums, each truncated by itself, then aligned by floor
  exact,     ///< no product bit is lost (suggested for f8f6f4, facts 1.3)
};

/// Names and defaults as in facts 1.2: F = 24, F1 = 31, F2 = 30.
/// All are parameters since gfx950's values are unknown.
struct Fdpa {
  Addends addends = Addends::truncated;
  int step = 8;           ///< L: products fused per step; the step's f32 result is the next step's C
  int fraction_bits = 24; ///< F: kept of each product and of C below the largest exponent
  int sum_bits = 31;      ///< F1: kept of the sum of products when aligned with C
  int normalised_bits =
      30; ///< F2: kept (by floor) of the normalised total before rounding; a guess (errata.md)
  int min_exponent_a = -126; ///< exponent that subnormals of A's and B's type keep
  int min_exponent_b = -126;
};

/// The suggested gfx950 settings of facts 1.3 [inf].
Fdpa fdpa_of_f16();
Fdpa fdpa_of_bf16();
Fdpa fdpa_of_fp8(Format a, Format b);
Fdpa fdpa_of_f8f6f4(Format a, Format b);

/// NaN operands, Inf*0 and Inf-Inf give 0x7FFFFFFF (MMA-Sim's corner cases; silicon's payload is unknown).
float dot_fdpa(std::span<const float> a, std::span<const float> b, float c, const Fdpa& model);

/// `model.step` must be 32;
/// the block's exponent sum gains scale_a + scale_b - 254 and never rounds by itself.
float dot_fdpa_scaled(std::span<const float> a, std::span<const float> b, float c,
                      std::span<const uint8_t> scale_a, std::span<const uint8_t> scale_b, const Fdpa& model);

// --- integer

/// Exact; the i32 result wraps, or saturates with MODE.FP16_OVFL (facts 1.1).
int32_t dot_i8(std::span<const int8_t> a, std::span<const int8_t> b, int32_t c, bool saturate);

} // namespace fmha950::numerics
