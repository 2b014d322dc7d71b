// 32- and 64-bit integer arithmetic (ISA guide 12, VOP2 and VOP3). Unsigned arithmetic throughout: it wraps.

#include "emulator/isa/families.hpp"
#include "emulator/isa/integer_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u32>;
using I = Lanes<i32>;
using U2 = Lanes<u64>;
using I2 = Lanes<i64>;

FMHA950_INLINE U2 wide(U x) { return __builtin_convertvector(x, U2); }
FMHA950_INLINE U2 wide(I x) { return __builtin_bit_cast(U2, __builtin_convertvector(x, I2)); }
FMHA950_INLINE U low(U2 x) { return __builtin_convertvector(x, U); }
FMHA950_INLINE U high(U2 x) { return __builtin_convertvector(x >> 32, U); }
FMHA950_INLINE U low24(U x) { return x & 0xFFFFFFu; }
FMHA950_INLINE I low24(I x) { return as_signed(as_unsigned(x) << 8) >> 8; }

FMHA950_INLINE U saturate(U2 x) { return high(x) != 0 ? U(~0u) : low(x); }
FMHA950_INLINE U saturate_signed(U2 x) {
  const I overflow = as_signed(high(x)) < 0 ? I(INT32_MIN) : I(INT32_MAX);
  const I value = as_signed(low(x));
  return as_unsigned(__builtin_bit_cast(I, high(x)) == value >> 31 ? value : overflow);
}

using Carry = WithMask<u32>;
FMHA950_INLINE Carry add(U a, U b) { return {a + b, lanes_true(a + b < a)}; }
FMHA950_INLINE Carry subtract(U a, U b) { return {a - b, lanes_true(b > a)}; }
FMHA950_INLINE Carry add(U a, U b, uint64_t carries) {
  const U carry_in = as_unsigned(-expand(carries)), sum = a + b;
  return {sum + carry_in, lanes_true(sum < a) | lanes_true(sum + carry_in < sum)};
}
FMHA950_INLINE Carry subtract(U a, U b, uint64_t borrows) {
  const U borrow_in = as_unsigned(-expand(borrows)), difference = a - b;
  return {difference - borrow_in, lanes_true(b > a) | lanes_true(borrow_in > difference)};
}
FMHA950_INLINE Carry clamp_add(Carry r) { return {blend<u32>(r.value, U(~0u), r.mask), r.mask}; }
FMHA950_INLINE Carry clamp_subtract(Carry r) { return {blend<u32>(r.value, U(0u), r.mask), r.mask}; }

// {D1, D0} is the 65-bit sum.
FMHA950_INLINE WithMask<u64> multiply_add(U a, U b, U2 c) {
  const U2 sum = wide(a) * wide(b) + c;
  return {sum, lanes_true(sum < c)};
}
FMHA950_INLINE WithMask<u64> multiply_add(I a, I b, U2 c) {
  const U2 product = wide(a) * wide(b), sum = product + c;
  const U2 overflow = (product ^ sum) & (c ^ sum); // top bit: the sign of the sum is wrong
  return {sum, lanes_true((overflow ^ sum) >> 63 != 0)};
}

// Counts up to 4 shift; others count as 0 (ISA guide, V_LSHL_ADD_U64).
FMHA950_INLINE Pair lshl_add(Pair a, U count, Pair c) {
  const U shift = (count & 7u) > 4u ? U(0u) : count & 7u;
  const Carry low = add(a.low << shift, c.low);
  const U high = __builtin_elementwise_fshl(a.high, a.low, shift) + c.high;
  return {low.value, high - as_unsigned(expand(low.mask))};
}

template <class Signature, class Body> constexpr Row wide_multiply(const char* mnemonic, Body body) {
  return of_class(ValuClass::wide_multiply, valu<Signature>(mnemonic, body));
}
// Clang uses them for 32-bit products too: then nobody has set the upper word of what is added.
template <class Signature, class Body> constexpr Row multiply_add_64(const char* mnemonic, Body body) {
  return computes(Arithmetic::multiply_add,
                  with_flow(ValuFlow::low_word_of_low_words, wide_multiply<Signature>(mnemonic, body)));
}

constexpr Row table[] = {
    by_bits(BitFunction::add, valu<u32(u32, u32)>(
                                  "v_add_u32", [](U a, U b) { return a + b; },
                                  [](U a, U b) { return __builtin_elementwise_add_sat(a, b); })),
    by_bits(BitFunction::subtract, valu<u32(u32, u32)>(
                                       "v_sub_u32", [](U a, U b) { return a - b; },
                                       [](U a, U b) { return __builtin_elementwise_sub_sat(a, b); })),
    by_bits(BitFunction::subtract_back, valu<u32(u32, u32)>(
                                            "v_subrev_u32", [](U a, U b) { return b - a; },
                                            [](U a, U b) { return __builtin_elementwise_sub_sat(b, a); })),
    valu<u32(u32, u32)>(
        "v_add_i32", [](U a, U b) { return a + b; },
        [](U a, U b) { return as_unsigned(__builtin_elementwise_add_sat(as_signed(a), as_signed(b))); }),
    valu<u32(u32, u32)>(
        "v_sub_i32", [](U a, U b) { return a - b; },
        [](U a, U b) { return as_unsigned(__builtin_elementwise_sub_sat(as_signed(a), as_signed(b))); }),
    computes(Arithmetic::add_carry, valu<carry<u32>(u32, u32)>(
                                        "v_add_co_u32", [](U a, U b) { return add(a, b); },
                                        [](U a, U b) { return clamp_add(add(a, b)); })),
    valu<carry<u32>(u32, u32)>(
        "v_sub_co_u32", [](U a, U b) { return subtract(a, b); },
        [](U a, U b) { return clamp_subtract(subtract(a, b)); }),
    valu<carry<u32>(u32, u32)>(
        "v_subrev_co_u32", [](U a, U b) { return subtract(b, a); },
        [](U a, U b) { return clamp_subtract(subtract(b, a)); }),
    computes(Arithmetic::add_carry, valu<carry<u32>(u32, u32, mask)>(
                                        "v_addc_co_u32", [](U a, U b, uint64_t c) { return add(a, b, c); },
                                        [](U a, U b, uint64_t c) { return clamp_add(add(a, b, c)); })),
    valu<carry<u32>(u32, u32, mask)>(
        "v_subb_co_u32", [](U a, U b, uint64_t c) { return subtract(a, b, c); },
        [](U a, U b, uint64_t c) { return clamp_subtract(subtract(a, b, c)); }),
    valu<carry<u32>(u32, u32, mask)>(
        "v_subbrev_co_u32", [](U a, U b, uint64_t c) { return subtract(b, a, c); },
        [](U a, U b, uint64_t c) { return clamp_subtract(subtract(b, a, c)); }),

    by_bits(BitFunction::multiply,
            wide_multiply<u32(u32, u32)>("v_mul_lo_u32", [](U a, U b) { return a * b; })),
    computes(Arithmetic::multiply,
             wide_multiply<u32(u32, u32)>("v_mul_hi_u32", [](U a, U b) { return high(wide(a) * wide(b)); })),
    computes(Arithmetic::multiply,
             wide_multiply<u32(i32, i32)>("v_mul_hi_i32", [](I a, I b) { return high(wide(a) * wide(b)); })),
    computes(Arithmetic::multiply,
             valu<u32(u32, u32)>("v_mul_u32_u24", [](U a, U b) { return low24(a) * low24(b); })),
    valu<u32(u32, u32)>("v_mul_hi_u32_u24", [](U a, U b) { return high(wide(low24(a)) * wide(low24(b))); }),
    computes(Arithmetic::multiply,
             valu<u32(i32, i32)>("v_mul_i32_i24",
                                 [](I a, I b) { return as_unsigned(low24(a)) * as_unsigned(low24(b)); })),
    valu<u32(i32, i32)>("v_mul_hi_i32_i24", [](I a, I b) { return high(wide(low24(a)) * wide(low24(b))); }),
    computes(Arithmetic::multiply_add,
             valu<u32(u32, u32, u32)>(
                 "v_mad_u32_u24", [](U a, U b, U c) { return low24(a) * low24(b) + c; },
                 [](U a, U b, U c) { return saturate(wide(low24(a)) * wide(low24(b)) + wide(c)); })),
    computes(Arithmetic::multiply_add,
             valu<u32(i32, i32, i32)>(
                 "v_mad_i32_i24",
                 [](I a, I b, I c) { return as_unsigned(low24(a)) * as_unsigned(low24(b)) + as_unsigned(c); },
                 [](I a, I b, I c) { return saturate_signed(wide(low24(a)) * wide(low24(b)) + wide(c)); })),
    multiply_add_64<carry<u64>(u32, u32, u64)>("v_mad_u64_u32",
                                               [](U a, U b, U2 c) { return multiply_add(a, b, c); }),
    multiply_add_64<carry<u64>(i32, i32, u64)>("v_mad_i64_i32",
                                               [](I a, I b, U2 c) { return multiply_add(a, b, c); }),

    by_bits(BitFunction::add3,
            valu<u32(u32, u32, u32)>("v_add3_u32", [](U a, U b, U c) { return a + b + c; })),
    by_bits(BitFunction::xor_add,
            valu<u32(u32, u32, u32)>("v_xad_u32", [](U a, U b, U c) { return (a ^ b) + c; })),
    by_bits(BitFunction::shift_add_32,
            valu<u32(u32, u32, u32)>("v_lshl_add_u32", [](U a, U b, U c) { return (a << (b & 31u)) + c; })),
    by_bits(BitFunction::add_shift,
            valu<u32(u32, u32, u32)>("v_add_lshl_u32", [](U a, U b, U c) { return (a + b) << (c & 31u); })),
    by_bits(
        BitFunction::shift_add_64,
        valu<pair(pair, u32, pair)>("v_lshl_add_u64", [](Pair a, U b, Pair c) { return lshl_add(a, b, c); })),

    valu<u32(u32, u32)>("v_min_u32", [](U a, U b) { return smaller(a, b); }),
    valu<u32(u32, u32)>("v_max_u32", [](U a, U b) { return larger(a, b); }),
    valu<i32(i32, i32)>("v_min_i32", [](I a, I b) { return smaller(a, b); }),
    valu<i32(i32, i32)>("v_max_i32", [](I a, I b) { return larger(a, b); }),
    valu<u32(u32, u32, u32)>("v_min3_u32", [](U a, U b, U c) { return smaller(smaller(a, b), c); }),
    valu<u32(u32, u32, u32)>("v_max3_u32", [](U a, U b, U c) { return larger(larger(a, b), c); }),
    valu<u32(u32, u32, u32)>("v_med3_u32", [](U a, U b, U c) { return middle(a, b, c); }),
    valu<i32(i32, i32, i32)>("v_min3_i32", [](I a, I b, I c) { return smaller(smaller(a, b), c); }),
    valu<i32(i32, i32, i32)>("v_max3_i32", [](I a, I b, I c) { return larger(larger(a, b), c); }),
    valu<i32(i32, i32, i32)>("v_med3_i32", [](I a, I b, I c) { return middle(a, b, c); }),
};

} // namespace

const Rows rows_valu_int = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
