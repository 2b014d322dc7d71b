// The fma form of a matrix instruction's dot product.
#include "numerics/mfma_arithmetic.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace fmha950::numerics {
namespace {

template <class Float, class Bits> Float fma_of(Float a, Float b, Float c, Bits quiet_bit, Bits invalid) {
  for (Float operand : {a, b, c})
    if (operand != operand) return std::bit_cast<Float>(Bits(std::bit_cast<Bits>(operand) | quiet_bit));
  const Float result = std::fma(a, b, c);
  return result == result ? result : std::bit_cast<Float>(invalid);
}

template <class Float> Float chain(std::span<const Float> a, std::span<const Float> b, Float c) {
  for (size_t k = 0; k < a.size(); ++k) c = mfma_fma(a[k], b[k], c);
  return c;
}

} // namespace

float mfma_fma(float a, float b, float c) {
  return fma_of<float, uint32_t>(a, b, c, f32_quiet_bit, 0xffc00000u);
}
double mfma_fma(double a, double b, double c) {
  return fma_of<double, uint64_t>(a, b, c, 1ull << 51, 0xfff8000000000000ull);
}

float dot_fma(std::span<const float> a, std::span<const float> b, float c) { return chain(a, b, c); }
double dot_fma(std::span<const double> a, std::span<const double> b, double c) { return chain(a, b, c); }

float dot_fma_scaled(std::span<const float> a, std::span<const float> b, float c,
                     std::span<const uint8_t> scale_a, std::span<const uint8_t> scale_b) {
  for (size_t block = 0; block < scale_a.size(); ++block) {
    const size_t k = block * scale_block;
    const float sum = chain(a.subspan(k, scale_block), b.subspan(k, scale_block), 0.0f);
    c = mfma_fma(scaled_by_e8m0(sum, scale_a[block], scale_b[block]), 1.0f, c);
  }
  return c;
}

int32_t dot_i8(std::span<const int8_t> a, std::span<const int8_t> b, int32_t c, bool saturate) {
  int64_t sum = c;
  for (size_t k = 0; k < a.size(); ++k) sum += int64_t(a[k]) * b[k];
  using Limits = std::numeric_limits<int32_t>;
  return int32_t(saturate ? std::clamp<int64_t>(sum, Limits::min(), Limits::max()) : sum);
}

} // namespace fmha950::numerics
