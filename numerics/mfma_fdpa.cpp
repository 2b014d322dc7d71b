// The fdpa form of a matrix instruction's dot product: mfma_gfx950.md section 1.2, after MMA-Sim.
// Everything is an integer times a power of two, so truncation and floor are shifts and nothing rounds but
// where the model says so.
#include "numerics/mfma_arithmetic.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace fmha950::numerics {
namespace {

using Wide = __int128;

// Below every exponent that a non-zero product can have: the exponent of a sum whose products are all zero.
constexpr int no_exponent = -999;
constexpr int min_exponent_f32 = -126;

Wide shifted_floor(Wide value, int left) {
  return left >= 0 ? value << std::min(left, 100) : value >> std::min(-left, 126);
}
Wide shifted_toward_zero(Wide value, int left) {
  return value < 0 ? -shifted_floor(-value, left) : shifted_floor(value, left);
}

/// significand * 2^(exponent-23), |significand| < 2^24; a subnormal of its type keeps the type's minimum
/// exponent and hence a significand below 2^23.
struct Operand {
  int64_t significand;
  int exponent;
};
Operand operand_of(float x, int min_exponent) {
  const Parts parts = parts_of(x);
  const int lost = std::max(0, min_exponent - parts.exponent); // zero bits only: the type has no finer ones
  const int64_t significand = parts.significand >> std::min(lost, 31);
  return {std::signbit(x) ? -significand : significand, std::max(parts.exponent, min_exponent)};
}

/// A product as an integer in units of 2^(exponent-46), not renormalised.
struct Product {
  int64_t value = 0;
  int exponent = no_exponent;
};

/// value * 2^(exponent - bits): a sum of products, `exponent` being the largest of theirs.
struct Sum {
  Wide value = 0;
  int exponent = no_exponent;
  int bits = 0;
};

Sum sum_of(std::span<const Product> products, size_t first, size_t stride, int bits) {
  Sum sum{.bits = bits};
  for (size_t k = first; k < products.size(); k += stride)
    sum.exponent = std::max(sum.exponent, products[k].exponent);
  for (size_t k = first; k < products.size(); k += stride)
    if (products[k].value != 0)
      sum.value += shifted_toward_zero(products[k].value, products[k].exponent - sum.exponent + bits - 46);
  return sum;
}

Sum sum_before_c(std::span<const Product> products, const Fdpa& model) {
  // 46 product bits below a spread of at most 2*(17+14) exponents (bf8) lose nothing.
  if (model.addends == Addends::exact) return sum_of(products, 0, 1, 46 + 64);
  if (model.addends == Addends::truncated) return sum_of(products, 0, 1, model.fraction_bits);
  const Sum even = sum_of(products, 0, 2, model.fraction_bits),
            odd = sum_of(products, 1, 2, model.fraction_bits);
  const int exponent = std::max(even.exponent, odd.exponent);
  return {shifted_floor(even.value, even.exponent - exponent) +
              shifted_floor(odd.value, odd.exponent - exponent),
          exponent, model.fraction_bits};
}

float rounded(int64_t total, int unit_exponent, const Fdpa& model) {
  const int leading = std::bit_width(uint64_t(std::abs(total))) - 1;
  const int exponent = std::max(leading + unit_exponent, min_exponent_f32);
  const int dropped = std::max(0, exponent - model.normalised_bits - unit_exponent);
  const double kept = double(total >> dropped);
  // Exact in f64; the conversion is the one rounding (RNE).
  return float(std::ldexp(kept, unit_exponent + dropped));
}

struct Special {
  bool present = false;
  float value = 0;
};

/// NaN and infinity are settled before any sum. A finite product that reaches 2^128 counts as infinite.
Special special_of(std::span<const float> a, std::span<const float> b, float c) {
  bool nan = std::isnan(c), positive = std::isinf(c) && c > 0, negative = std::isinf(c) && c < 0;
  for (size_t k = 0; k < a.size(); ++k) {
    const double product = double(a[k]) * double(b[k]); // exact
    nan |= std::isnan(product);
    positive |= product >= 0x1p128;
    negative |= product <= -0x1p128;
  }
  if (nan || (positive && negative)) return {true, float_of(0x7fffffffu)};
  const float infinity = float_of(f32_infinity);
  return {positive || negative, positive ? infinity : -infinity};
}

bool all_negative_zero(std::span<const float> a, std::span<const float> b, float c) {
  bool negative = std::signbit(c);
  for (size_t k = 0; k < a.size(); ++k) negative &= std::signbit(a[k]) != std::signbit(b[k]);
  return negative;
}

/// One step: c plus the products of a and b, the products scaled by 2^scale.
float step(std::span<const float> a, std::span<const float> b, float c, int scale, const Fdpa& model) {
  if (const Special special = special_of(a, b, c); special.present) return special.value;
  Product products[64];
  for (size_t k = 0; k < a.size(); ++k) {
    const Operand x = operand_of(a[k], model.min_exponent_a), y = operand_of(b[k], model.min_exponent_b);
    const int64_t value = x.significand * y.significand;
    products[k] = value == 0 ? Product{} : Product{value, x.exponent + y.exponent + scale};
  }
  const Sum sum = sum_before_c({products, a.size()}, model);
  const Operand addend = operand_of(c, min_exponent_f32);
  const int exponent = std::max(sum.exponent, addend.exponent);
  const Wide aligned_sum = shifted_floor(sum.value, sum.exponent - exponent + model.sum_bits - sum.bits);
  Wide aligned_addend =
      shifted_floor(addend.significand, addend.exponent - exponent + model.fraction_bits - 23);
  if (model.addends == Addends::even_odd && addend.exponent < exponent - (model.fraction_bits + 1))
    aligned_addend = 0;
  const int64_t total =
      int64_t(aligned_sum + shifted_floor(aligned_addend, model.sum_bits - model.fraction_bits));
  if (total == 0) return all_negative_zero(a, b, c) ? -0.0f : 0.0f;
  return rounded(total, exponent - model.sum_bits, model);
}

} // namespace

Fdpa fdpa_of_f16() { return {.min_exponent_a = Fp16::min_exponent, .min_exponent_b = Fp16::min_exponent}; }
Fdpa fdpa_of_bf16() { return {}; }
Fdpa fdpa_of_fp8(Format a, Format b) {
  return {.addends = Addends::even_odd,
          .step = 16,
          .min_exponent_a = min_exponent_of(a),
          .min_exponent_b = min_exponent_of(b)};
}
Fdpa fdpa_of_f8f6f4(Format a, Format b) {
  return {.addends = Addends::exact,
          .step = scale_block,
          .min_exponent_a = min_exponent_of(a),
          .min_exponent_b = min_exponent_of(b)};
}

float dot_fdpa(std::span<const float> a, std::span<const float> b, float c, const Fdpa& model) {
  for (size_t k = 0; k < a.size(); k += model.step) {
    const size_t length = std::min<size_t>(model.step, a.size() - k);
    c = step(a.subspan(k, length), b.subspan(k, length), c, 0, model);
  }
  return c;
}

float dot_fdpa_scaled(std::span<const float> a, std::span<const float> b, float c,
                      std::span<const uint8_t> scale_a, std::span<const uint8_t> scale_b, const Fdpa& model) {
  for (size_t block = 0; block < scale_a.size(); ++block) {
    const size_t k = block * scale_block;
    const bool nan = scale_a[block] == e8m0_nan || scale_b[block] == e8m0_nan;
    c = nan ? float_of(0x7fffffffu)
            : step(a.subspan(k, scale_block), b.subspan(k, scale_block), c,
                   scale_a[block] + scale_b[block] - 254, model);
  }
  return c;
}

} // namespace fmha950::numerics
