#pragma once
// The queries of one wave as the B operand of S^T = K Q^T.

#include "attention/query_rows.hpp"
#include "gfx950/mfma.hpp"
#include "impl_prepass/kernel_arguments.hpp"

namespace fmha950::prepass {

using namespace gfx950;

// Exponents: whether there may be any, for blocks of 32 columns.
template <class Element, bool Exponents, int KeyDim> struct QueryOperands {
  using Operand = typename Mfma32x32x16<Element>::Operand;
  static constexpr int steps = KeyDim / 16;

  // Item t of step s is column 16 s + 8 (l / 32) + t of the lane's query. Powers of two go in, exactly.
  static FMHA950_INLINE void load(const AttentionArguments& arguments, const attention::QueryRows& rows,
                                  Operand (&operands)[steps]) {
    const bool scaled = Exponents && arguments.q_exponents != nullptr;
    const uint32_t exponents = scaled ? arguments.q_exponents[rows.index()] : 0x7f7f7f7f; // 2^0
    const uint64_t first = rows.index() * KeyDim + lane_id() / 32 * 8;
    if (arguments.query_format == QueryFormat::plain) {
      const auto* row = static_cast<const Element*>(arguments.q) + first;
      for (int s = 0; s < steps; ++s) operands[s] = *reinterpret_cast<const Operand*>(row + 16 * s);
      if (scaled)
        for (int s = 0; s < steps; ++s)
          operands[s] = times(operands[s], e8m0_value(exponent_of(exponents, s)));
    } else if constexpr (__is_same(Element, bf16)) {
      const auto* row = static_cast<const uint8_t*>(arguments.q) + first;
      for (int s = 0; s < steps; ++s) {
        const Word2 values = *reinterpret_cast<const Word2*>(row + 16 * s);
        const float scale = e8m0_scale(exponent_of(exponents, s));
        operands[s] = __builtin_shufflevector(fp8_to_bf16(values[0], scale), fp8_to_bf16(values[1], scale), 0,
                                              1, 2, 3, 4, 5, 6, 7);
      }
    }
  }

 private:
  // One exponent per 32 columns.
  static FMHA950_INLINE uint32_t exponent_of(uint32_t exponents, int step) {
    return exponents >> (step / 2 * 8) & 0xff;
  }

  static FMHA950_INLINE Operand times(Operand operand, float power_of_two) {
    for (int t = 0; t < 8; ++t)
      operand[t] = static_cast<Element>(static_cast<float>(operand[t]) * power_of_two);
    return operand;
  }
};

} // namespace fmha950::prepass
