#pragma once
// All formats of gfx950, and the enumeration by which the f8f6f4 matrix instructions
// select among the small ones.
#include "numerics/bf16.hpp"
#include "numerics/e8m0.hpp"
#include "numerics/fp16.hpp"
#include "numerics/fp6.hpp"
#include "numerics/fp8.hpp"
#include "numerics/prng.hpp"

namespace fmha950::numerics {

/// The values are the codes of cbsz (A) and blgp (B) in v_mfma_*_f8f6f4 (facts 3.1, ISA4 table 30).
enum class Format : uint8_t { fp8 = 0, bf8 = 1, fp6 = 2, bf6 = 3, fp4 = 4 };
inline constexpr int format_count = 5;

FMHA950_NUMERIC int width_of(Format format) {
  return format <= Format::bf8 ? 8 : format <= Format::bf6 ? 6 : 4;
}

/// The exponent that the format's subnormals share with its smallest normal.
FMHA950_NUMERIC int min_exponent_of(Format format) {
  constexpr int exponents[format_count] = {Fp8::min_exponent, Bf8::min_exponent, Fp6::min_exponent,
                                           Bf6::min_exponent, Fp4::min_exponent};
  return exponents[int(format)];
}

FMHA950_NUMERIC float f32_from(Format format, uint8_t code) {
  switch (format) {
  case Format::fp8: return f32_from_fp8(code);
  case Format::bf8: return f32_from_bf8(code);
  case Format::fp6: return f32_from_fp6(code);
  case Format::bf6: return f32_from_bf6(code);
  case Format::fp4: return f32_from_fp4(code);
  }
  return 0;
}

} // namespace fmha950::numerics
