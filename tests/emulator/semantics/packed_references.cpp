// VOP3P: family packed. Each signature is of one half of a register (v_pk_*_f32: of one register of a pair).

#include "tests/emulator/semantics/float_math.hpp"

#include <algorithm>

namespace fmha950::semantics {
namespace {

u16 saturated(u16, i64 x) { return static_cast<u16>(std::clamp<i64>(x, 0, 65535)); }
i16 saturated(i16, i64 x) { return static_cast<i16>(std::clamp<i64>(x, -32768, 32767)); }

} // namespace

#define PACKED(signature, name, ...) packed(reference<signature>(name, __VA_ARGS__))
#define PACKED_INTEGER(type, name, expression)                                                               \
  PACKED(                                                                                                    \
      type(type, type), name, [](type a, type b) { return static_cast<type>(expression); },                  \
      [](type a, type b) { return saturated(a, expression); })

References packed_references() {
  return {
      PACKED(f16(f16, f16), "v_pk_add_f16", [](f16 a, f16 b) { return sum(a, b); }),
      PACKED(f16(f16, f16), "v_pk_mul_f16", [](f16 a, f16 b) { return product(a, b); }),
      PACKED(f16(f16, f16, f16), "v_pk_fma_f16", [](f16 a, f16 b, f16 c) { return fused(a, b, c); }),
      PACKED(f16(f16, f16), "v_pk_min_f16", [](f16 a, f16 b) { return least(a, b); }),
      PACKED(f16(f16, f16), "v_pk_max_f16", [](f16 a, f16 b) { return greatest(a, b); }),
      PACKED(f16(f16, f16, f16), "v_pk_minimum3_f16",
             [](f16 a, f16 b, f16 c) { return minimum(minimum(a, b), c); }),
      PACKED(f16(f16, f16, f16), "v_pk_maximum3_f16",
             [](f16 a, f16 b, f16 c) { return maximum(maximum(a, b), c); }),
      PACKED_INTEGER(u16, "v_pk_add_u16", i64{a} + b),
      PACKED_INTEGER(u16, "v_pk_sub_u16", i64{a} - b),
      PACKED_INTEGER(i16, "v_pk_add_i16", i64{a} + b),
      PACKED_INTEGER(i16, "v_pk_sub_i16", i64{a} - b),
      PACKED(u16(u16, u16), "v_pk_mul_lo_u16", [](u16 a, u16 b) { return u16(u32{a} * b); }),
      PACKED(
          u16(u16, u16, u16), "v_pk_mad_u16", [](u16 a, u16 b, u16 c) { return u16(u32{a} * b + c); },
          [](u16 a, u16 b, u16 c) { return saturated(a, i64{a} * b + c); }),
      PACKED(
          i16(i16, i16, i16), "v_pk_mad_i16", [](i16 a, i16 b, i16 c) { return i16(a * b + c); },
          [](i16 a, i16 b, i16 c) { return saturated(a, i64{a} * b + c); }),
      PACKED(u16(u16, u16), "v_pk_min_u16", [](u16 a, u16 b) { return std::min(a, b); }),
      PACKED(u16(u16, u16), "v_pk_max_u16", [](u16 a, u16 b) { return std::max(a, b); }),
      PACKED(i16(i16, i16), "v_pk_min_i16", [](i16 a, i16 b) { return std::min(a, b); }),
      PACKED(i16(i16, i16), "v_pk_max_i16", [](i16 a, i16 b) { return std::max(a, b); }),
      PACKED(u16(u16, u16), "v_pk_lshlrev_b16", [](u16 a, u16 b) { return u16(b << (a & 15)); }),
      PACKED(u16(u16, u16), "v_pk_lshrrev_b16", [](u16 a, u16 b) { return u16(b >> (a & 15)); }),
      PACKED(i16(i16, i16), "v_pk_ashrrev_i16", [](i16 a, i16 b) { return i16(b >> (a & 15)); }),
      PACKED(f32(f32, f32), "v_pk_add_f32", [](f32 a, f32 b) { return a + b; }),
      PACKED(f32(f32, f32), "v_pk_mul_f32", [](f32 a, f32 b) { return a * b; }),
      PACKED(f32(f32, f32, f32), "v_pk_fma_f32", [](f32 a, f32 b, f32 c) { return fused(a, b, c); }),
  };
}

} // namespace fmha950::semantics
