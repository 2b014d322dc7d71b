#pragma once
// The scalar definition of one element for a pair of operand types, in both forms of arithmetic (DESIGN.md
// section 4).
#include "emulator/isa/mfma_types.hpp"
#include "numerics/mfma_arithmetic.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T> inline constexpr numerics::Format format_of = numerics::Format::fp8;
template <> inline constexpr numerics::Format format_of<Bf8> = numerics::Format::bf8;

template <class A, class B> numerics::Fdpa fdpa_model() {
  if constexpr (__is_same(A, F16))
    return numerics::fdpa_of_f16();
  else if constexpr (__is_same(A, Bf16))
    return numerics::fdpa_of_bf16();
  else
    return numerics::fdpa_of_fp8(format_of<A>, format_of<B>);
}

/// The scalar definitions of an element.
template <class Shape, class A, class B> struct Scalar {
  static constexpr size_t depth = Shape::depth;
  static float fma(const float* row, const float* column, float c, int, int) {
    return numerics::dot_fma({row, depth}, {column, depth}, c);
  }
  static float fdpa(const float* row, const float* column, float c, int, int) {
    return numerics::dot_fdpa({row, depth}, {column, depth}, c, fdpa_model<A, B>());
  }
  static uint32_t saturated(const uint32_t* row, const uint32_t* column, uint32_t c, int, int) {
    int8_t x[depth], y[depth];
    for (size_t k = 0; k < depth; ++k)
      x[k] = static_cast<int8_t>(row[k]), y[k] = static_cast<int8_t>(column[k]);
    return static_cast<uint32_t>(numerics::dot_i8({x, depth}, {y, depth}, static_cast<int32_t>(c), true));
  }
};

} // namespace fmha950::isa::FMHA950_SIMD
