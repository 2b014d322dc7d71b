#pragma once
// Rows of conversions: like valu (valu.hpp), for bodies that need op_sel as a selector of bytes or halves, or
// MODE's overflow flag, and that work lane by lane on the scalar functions of numerics.
#include "emulator/isa/valu.hpp"
#include "numerics/formats.hpp"

namespace fmha950::isa::FMHA950_SIMD {

struct Controls {
  uint32_t op_sel;
  bool saturate;               ///< MODE.FP16_OVFL
  numerics::Rounding rounding; ///< MODE's field for f16
};
inline Controls controls_of(const Wave& wave, const Instruction& in) {
  return {in.op_sel, (wave.mode >> 23 & 1) != 0, numerics::rounding_of_halves(wave.mode)};
}

/// Sources are 4 bytes each, so that op_sel stays the body's; it gets Controls first.
template <class Signature, class Body> struct Convert;
template <class Result, class... Tags, class Body> struct Convert<Result(Tags...), Body> {
  static void execute(Wave& wave, const Instruction& in) {
    if (execute_plain<Result, Tags...>(wave, in, body_of(wave, in))) [[likely]]
      return;
    [[clang::musttail]] return execute_any(wave, in);
  }
  [[gnu::noinline]] static void execute_any(Wave& wave, const Instruction& in) {
    store<Result>(wave, in, with_sources<Tags...>(wave, in, body_of(wave, in)));
  }
  FMHA950_INLINE static auto body_of(const Wave& wave, const Instruction& in) {
    return [controls = controls_of(wave, in)](auto... sources)
               __attribute__((always_inline)) { return Body{}(controls, sources...); };
  }
  /// Bodies round by themselves; the host's rounding is for omod.
  static constexpr Row row(const char* mnemonic) {
    Row row{mnemonic,
            &execute,
            {},
            rounding_of<Result>(),
            Operand<Result>::is_float || (Operand<Tags>::is_float || ...)};
    row.valu = valu_facts<Result, Tags...>();
    row.valu.kind = ValuClass::conversion;
    row.valu.accumulates = false; // what they read of their destination is what they keep
    return row;
  }
};
template <class Signature, class Body> constexpr Row convert(const char* mnemonic, Body) {
  return Convert<Signature, Body>::row(mnemonic);
}
/// One whose result takes `writes` of its register, by op_sel if that is less than a word.
constexpr Row placed(ValuFlow flow, uint8_t writes, Row row) {
  row.valu.writes = writes;
  return with_flow(flow, row);
}
/// A conversion that wants nothing of the above.
template <class Signature, class Body> constexpr Row conversion(const char* mnemonic, Body body) {
  return of_class(ValuClass::conversion, valu<Signature>(mnemonic, body));
}
/// A source or result is one byte of its register.
constexpr Row of_byte(int byte, Row row) {
  row.valu.reads[0] = static_cast<uint8_t>(one_byte << byte);
  return row;
}

/// body applied to every lane: loops over arrays, which the compiler makes vector code of.
template <class T> struct LaneArray {
  alignas(64) T lane[wave_lanes];
};
template <class T>
FMHA950_INLINE LaneArray<T> array_of(T __attribute__((ext_vector_type(wave_lanes))) value) {
  LaneArray<T> array;
  store_lanes(array.lane, value);
  return array;
}
template <class Out, class Body, class... T>
FMHA950_INLINE Lanes<Out> per_array(Body body, const LaneArray<T>&... in) {
  LaneArray<Out> out;
  for (int l = 0; l < wave_lanes; ++l) out.lane[l] = body(in.lane[l]...);
  return load_lanes<Out>(out.lane);
}
template <class Out, class Body, class... V> FMHA950_INLINE Lanes<Out> per_lane(Body body, V... in) {
  return per_array<Out>(body, array_of(in)...);
}

/// `value` (its low `width` bits) in place of the destination's bits at `shift`.
FMHA950_INLINE Lanes<u32> inserted(Lanes<u32> before, Lanes<u32> value, uint32_t shift, uint32_t width) {
  const u32 field = ((1u << width) - 1) << shift;
  return (before & ~field) | (value << shift & field);
}
FMHA950_INLINE uint32_t half_shift(const Controls& controls) { return controls.op_sel >> 3 & 1 ? 16 : 0; }
FMHA950_INLINE uint32_t byte_shift(const Controls& controls) { return 8 * (controls.op_sel >> 2 & 3); }

/// The small formats by one interface: codes are the low bits.
struct CodeFp8 {
  static constexpr int width = 8;
  FMHA950_INLINE static u32 nearest(f32 x, bool saturate) { return numerics::fp8_from_f32(x, saturate); }
  FMHA950_INLINE static u32 nearest(f32 x, uint8_t scale, bool saturate) {
    return numerics::fp8_from_f32(x, saturate, scale);
  }
  FMHA950_INLINE static u32 stochastic(f32 x, u32 seed, uint8_t scale, bool saturate) {
    return numerics::fp8_from_f32_stochastic(x, seed, saturate, scale);
  }
  FMHA950_INLINE static f32 decode(u32 code) { return numerics::f32_from_fp8(static_cast<uint8_t>(code)); }
};
struct CodeBf8 {
  static constexpr int width = 8;
  FMHA950_INLINE static u32 nearest(f32 x, bool saturate) { return numerics::bf8_from_f32(x, saturate); }
  FMHA950_INLINE static u32 nearest(f32 x, uint8_t scale, bool saturate) {
    return numerics::bf8_from_f32(x, saturate, scale);
  }
  FMHA950_INLINE static u32 stochastic(f32 x, u32 seed, uint8_t scale, bool saturate) {
    return numerics::bf8_from_f32_stochastic(x, seed, saturate, scale);
  }
  FMHA950_INLINE static f32 decode(u32 code) { return numerics::f32_from_bf8(static_cast<uint8_t>(code)); }
};
struct CodeFp6 {
  static constexpr int width = 6;
  FMHA950_INLINE static u32 nearest(f32 x, uint8_t scale, bool) { return numerics::fp6_from_f32(x, scale); }
  FMHA950_INLINE static u32 stochastic(f32 x, u32 seed, uint8_t scale, bool) {
    return numerics::fp6_from_f32_stochastic(x, seed, scale);
  }
  FMHA950_INLINE static f32 decode(u32 code) { return numerics::f32_from_fp6(static_cast<uint8_t>(code)); }
};
struct CodeBf6 {
  static constexpr int width = 6;
  FMHA950_INLINE static u32 nearest(f32 x, uint8_t scale, bool) { return numerics::bf6_from_f32(x, scale); }
  FMHA950_INLINE static u32 stochastic(f32 x, u32 seed, uint8_t scale, bool) {
    return numerics::bf6_from_f32_stochastic(x, seed, scale);
  }
  FMHA950_INLINE static f32 decode(u32 code) { return numerics::f32_from_bf6(static_cast<uint8_t>(code)); }
};
struct CodeFp4 {
  static constexpr int width = 4;
  FMHA950_INLINE static u32 nearest(f32 x, uint8_t scale, bool) { return numerics::fp4_from_f32(x, scale); }
  FMHA950_INLINE static u32 stochastic(f32 x, u32 seed, uint8_t scale, bool) {
    return numerics::fp4_from_f32_stochastic(x, seed, scale);
  }
  FMHA950_INLINE static f32 decode(u32 code) { return numerics::f32_from_fp4(static_cast<uint8_t>(code)); }
};

} // namespace fmha950::isa::FMHA950_SIMD
