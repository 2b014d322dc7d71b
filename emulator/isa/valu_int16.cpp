// 16-bit integer arithmetic (ISA guide 12, VOP2 and VOP3). VOP2 and legacy results clear the upper half of
// their register, the VOP3 ones with op_sel keep the half they do not write.

#include "emulator/isa/families.hpp"
#include "emulator/isa/integer_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u16>;
using I = Lanes<i16>;
using U4 = Lanes<u32>;
using I4 = Lanes<i32>;

// The clamp of 32-bit mads with 16-bit factors.
FMHA950_INLINE U4 saturating_wide_mad(U a, U b, U4 c) {
  return __builtin_elementwise_add_sat(wide(a) * wide(b), c);
}
FMHA950_INLINE I4 saturating_wide_mad(I a, I b, I4 c) {
  return __builtin_elementwise_add_sat(wide(a) * wide(b), c);
}
FMHA950_INLINE I4 wrapping_wide_mad(I a, I b, I4 c) {
  return __builtin_bit_cast(I4, __builtin_bit_cast(U4, wide(a) * wide(b)) + __builtin_bit_cast(U4, c));
}

constexpr Row table[] = {
    valu<u16(u16, u16)>(
        "v_add_u16", [](U a, U b) { return a + b; },
        [](U a, U b) { return __builtin_elementwise_add_sat(a, b); }),
    valu<u16(u16, u16)>(
        "v_sub_u16", [](U a, U b) { return a - b; },
        [](U a, U b) { return __builtin_elementwise_sub_sat(a, b); }),
    valu<u16(u16, u16)>(
        "v_subrev_u16", [](U a, U b) { return b - a; },
        [](U a, U b) { return __builtin_elementwise_sub_sat(b, a); }),
    valu<half<i16>(i16, i16)>(
        "v_add_i16", [](I a, I b) { return as_signed(as_unsigned(a) + as_unsigned(b)); },
        [](I a, I b) { return __builtin_elementwise_add_sat(a, b); }),
    valu<half<i16>(i16, i16)>(
        "v_sub_i16", [](I a, I b) { return as_signed(as_unsigned(a) - as_unsigned(b)); },
        [](I a, I b) { return __builtin_elementwise_sub_sat(a, b); }),
    valu<u16(u16, u16)>(
        "v_mul_lo_u16", [](U a, U b) { return a * b; },
        [](U a, U b) { return saturated16(wide(a) * wide(b)); }),
    valu<u16(u16, u16, u16)>(
        "v_mad_legacy_u16", [](U a, U b, U c) { return a * b + c; },
        [](U a, U b, U c) { return saturating_mad(a, b, c); }),
    valu<i16(i16, i16, i16)>(
        "v_mad_legacy_i16", [](I a, I b, I c) { return wrapping_mad(a, b, c); },
        [](I a, I b, I c) { return saturating_mad(a, b, c); }),
    valu<half<u16>(u16, u16, u16)>(
        "v_mad_u16", [](U a, U b, U c) { return a * b + c; },
        [](U a, U b, U c) { return saturating_mad(a, b, c); }),
    valu<half<i16>(i16, i16, i16)>(
        "v_mad_i16", [](I a, I b, I c) { return wrapping_mad(a, b, c); },
        [](I a, I b, I c) { return saturating_mad(a, b, c); }),
    valu<u32(u16, u16, u32)>(
        "v_mad_u32_u16", [](U a, U b, U4 c) { return wide(a) * wide(b) + c; },
        [](U a, U b, U4 c) { return saturating_wide_mad(a, b, c); }),
    valu<i32(i16, i16, i32)>(
        "v_mad_i32_i16", [](I a, I b, I4 c) { return wrapping_wide_mad(a, b, c); },
        [](I a, I b, I4 c) { return saturating_wide_mad(a, b, c); }),

    valu<u16(u16, u16)>("v_lshlrev_b16", [](U a, U b) { return b << (a & 15); }),
    valu<u16(u16, u16)>("v_lshrrev_b16", [](U a, U b) { return b >> (a & 15); }),
    valu<i16(i16, i16)>("v_ashrrev_i16", [](I a, I b) { return b >> (a & 15); }),

    valu<u16(u16, u16)>("v_min_u16", [](U a, U b) { return smaller(a, b); }),
    valu<u16(u16, u16)>("v_max_u16", [](U a, U b) { return larger(a, b); }),
    valu<i16(i16, i16)>("v_min_i16", [](I a, I b) { return smaller(a, b); }),
    valu<i16(i16, i16)>("v_max_i16", [](I a, I b) { return larger(a, b); }),
    valu<half<u16>(u16, u16, u16)>("v_min3_u16", [](U a, U b, U c) { return smaller(smaller(a, b), c); }),
    valu<half<u16>(u16, u16, u16)>("v_max3_u16", [](U a, U b, U c) { return larger(larger(a, b), c); }),
    valu<half<u16>(u16, u16, u16)>("v_med3_u16", [](U a, U b, U c) { return middle(a, b, c); }),
    valu<half<i16>(i16, i16, i16)>("v_min3_i16", [](I a, I b, I c) { return smaller(smaller(a, b), c); }),
    valu<half<i16>(i16, i16, i16)>("v_max3_i16", [](I a, I b, I c) { return larger(larger(a, b), c); }),
    valu<half<i16>(i16, i16, i16)>("v_med3_i16", [](I a, I b, I c) { return middle(a, b, c); }),
};

} // namespace

const Rows rows_valu_int16 = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
