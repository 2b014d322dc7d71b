#pragma once
// Probabilities without exponentials: a score becomes P's fp8 code in one conversion. The code of 2^x is
// 8 (x + 7) where x is whole, and codes between two powers of two are as far apart: taken as an integer, the
// code is linear in x. Between powers of two P is therefore linear, up to 1.061 times what it should be, and
// rounding adds half a step, or takes up to a whole one: the guide does not say whether v_cvt_pk_u8_f32 rounds
// to nearest or truncates. Such an error is the same in the mean for all keys, and cancels: the denominator
// sums the same P. It does not cancel in an LSE.

#include "attention/lazy_softmax.hpp"
#include "attention/tile.hpp"
#include "gfx950/mfma_fp8.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

// The reference may lag by six whole codes.
using DirectReference = attention::LazyReference<attention::fp8_shift, 0.75f>;

class DirectSoftmax : public DirectReference {
  using Base = DirectReference;

 public:
  static constexpr bool has_exponentials = false;
  static constexpr float steps = 8, code_of_one = 56; // per octave; of 2^0 (OCP e4m3)
  // A maximum has a whole code; what rounding in fp32 takes off it must not cost the code where conversions truncate.
  static constexpr float kept = 0x1p-9f;
  // The code after 126, 448, is NaN: half a code is left for scores so large that their fp32 is coarse.
  static_assert(steps * (shift + threshold) + code_of_one <= 126 || !protection("threshold"));

  FMHA950_INLINE DirectSoftmax() {
    // One where the lane's row and group of keys are of the same queries; below.
    const bool own = (lane_id() % 16 / 4 + lane_id() / 16) % 2 == 0 || !protection("own_query");
    for (uint32_t i = 0; i < 8; ++i) ones_[i] = own ? 0x38383838 : 0;
    pin(ones_);
  }

  FMHA950_INLINE void follow_if_grown(float largest, float scale, int tiles_before) {
    Base::follow_if_grown(largest, scale, tiles_before, [&] {
      // Finite: -inf for hidden keys then stays -inf, whose code is 0.
      zero_ = __builtin_fmaf(-steps, __builtin_fmaxf(reference(), -0x1p100f), code_of_one + kept);
      pin(zero_);
    });
  }

  // Codes of two scores, not yet whole numbers.
  FMHA950_INLINE Float2 exponents(Float2 scores, float scale) const {
    return __builtin_elementwise_fma(scores, Float2{steps * scale, steps * scale}, Float2{zero_, zero_});
  }
  FMHA950_INLINE Float2 probabilities(Float2 codes) const { return codes; }
  // Below 0 is 0: P under 2^-7, 2^-15 of the reference's maximum.
  static FMHA950_INLINE uint32_t round(float a, float b, float c, float d) {
    uint32_t codes; // all of it is written; clang would set any other value first
    asm("" : "=v"(codes) : "v"(a));
    codes = __builtin_amdgcn_cvt_pk_u8_f32(a, 0, codes);
    codes = __builtin_amdgcn_cvt_pk_u8_f32(b, 1, codes);
    codes = __builtin_amdgcn_cvt_pk_u8_f32(c, 2, codes);
    return __builtin_amdgcn_cvt_pk_u8_f32(d, 3, codes);
  }

  // Adds a tile's P to the sums. As B of 16x16x128, lanes l, l + 16, l + 32 and l + 48 hold a column: two queries of
  // S^T, l % 32 and 16 further on, each with both halves of its keys. Rows of A choose: rows 4 g to 4 g + 3, which
  // lanes of group g = l / 16 get, have ones for the groups of keys of these lanes' own query.
  FMHA950_INLINE void sum(const Word4 (&rounded)[2]) {
    sums_ = Fp8Mfma16x16x128::multiply_add(ones_, joined(rounded[0], rounded[1]), sums_);
  }
  FMHA950_INLINE void rescale_sums() {
    if constexpr (protection("sum_rescaled")) sums_ *= factor();
  }

  FMHA950_INLINE void pin_state() {
    Base::pin_state();
    pin(zero_);
  }
  FMHA950_INLINE void pin_sums() { pin(sums_); }

  FMHA950_INLINE float denominator() const { return sums_[0]; } // all four are the same

 private:
  Word8 ones_;
  Float4 sums_ = {};
  float zero_ = 0; // the code of a score of 0, perhaps beyond all codes
};

} // namespace fmha950::pipelined
