#pragma once
// Functions that are compiled twice, for the host and for gfx950, and must agree bit for bit. Each is one
// line
//   F(name, result type, argument type, expression in a, b, c)
// of defined behaviour in C++ for every argument. Every float operation is one step (contraction is off on
// both sides; a _Float16 is cast after each operation, since x86 computes in float).

#include <stdint.h>

namespace fmha950::differential {

using i8 = int8_t;
using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;
template <class T> using Two = T __attribute__((ext_vector_type(2)));
using u128 = unsigned __int128;
using i128 = __int128;

template <class To, class From> constexpr To cast(From value) { return __builtin_bit_cast(To, value); }

#define INTEGER_FUNCTIONS(F, U, I, bits)                                                                     \
  F(add_##U, U, U, U(a + b))                                                                                 \
  F(sub_##U, U, U, U(a - b))                                                                                 \
  F(mul_##U, U, U, U(u64(a) * b))                                                                            \
  F(mad_##U, U, U, U(u64(a) * b + c))                                                                        \
  F(div_##U, U, U, U(a / (b ? b : 1)))                                                                       \
  F(mod_##U, U, U, U(a % (b ? b : 1)))                                                                       \
  F(div_##I, I, I, I(a / (b == 0 || b == -1 ? I(3) : b)))                                                    \
  F(mod_##I, I, I, I(a % (b == 0 || b == -1 ? I(3) : b)))                                                    \
  F(div_small_##U, U, U, U((a & 0xFF) / ((b & 0xFF) + 1)))                                                   \
  F(div_seven_##I, I, I, I(a / 7))                                                                           \
  F(mod_1000_##U, U, U, U(a % 1000))                                                                         \
  F(min_##U, U, U, a < b ? a : b)                                                                            \
  F(max_##U, U, U, a > b ? a : b)                                                                            \
  F(min_##I, I, I, a < b ? a : b)                                                                            \
  F(max_##I, I, I, a > b ? a : b)                                                                            \
  F(max3_##I, I, I, (a > b ? a : b) > c ? (a > b ? a : b) : c)                                               \
  F(median_##U, U, U, (a > b ? (c > a ? a : (c < b ? b : c)) : (c > b ? b : (c < a ? a : c))))               \
  F(add_saturating_##U, U, U, __builtin_elementwise_add_sat(a, b))                                           \
  F(sub_saturating_##U, U, U, __builtin_elementwise_sub_sat(a, b))                                           \
  F(add_saturating_##I, I, I, __builtin_elementwise_add_sat(a, b))                                           \
  F(sub_saturating_##I, I, I, __builtin_elementwise_sub_sat(a, b))                                           \
  F(shift_left_##U, U, U, U(a << (b & (bits - 1))))                                                          \
  F(shift_right_##U, U, U, U(a >> (b & (bits - 1))))                                                         \
  F(shift_right_##I, I, I, I(a >> (b & (bits - 1))))                                                         \
  F(shift_add_##U, U, U, U(U(a << 3) + b))                                                                   \
  F(add_shift_##U, U, U, U(U(a + b) << (c & (bits - 1))))                                                    \
  F(rotate_##U, U, U, U(a << (b & (bits - 1)) | a >> (-b & (bits - 1))))                                     \
  F(logic_##U, U, U, U((a & b) | (~a & c) | (b ^ c)))                                                        \
  F(xor_nor_##U, U, U, U(~(a ^ b ^ c)))                                                                      \
  F(field_##U, U, U, U(a >> 3 & 0x1F))                                                                       \
  F(signed_field_##I, I, I, I(I(U(a) << (bits - 7)) >> (bits - 5)))                                          \
  F(insert_##U, U, U, U((a & 0x0F) | (b & U(~0x0F))))                                                        \
  F(compare_##U, u32, U,                                                                                     \
    u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a > c) << 3 | u32(b >= c) << 4 |                  \
        u32(b != c) << 5)                                                                                    \
  F(compare_##I, u32, I,                                                                                     \
    u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a > c) << 3 | u32(b >= c) << 4 |                  \
        u32(b != c) << 5)                                                                                    \
  F(select_##U, U, U, a > b ? U(b - c) : U(c - a))                                                           \
  F(absolute_##I, U, I, U(a < 0 ? U(0) - U(a) : U(a)))                                                       \
  F(difference_##U, U, U, U((a > b ? a - b : b - a) + c))

#define WIDE_INTEGER_FUNCTIONS(F)                                                                            \
  F(high_product_u32, u32, u32, u32(u64(a) * b >> 32))                                                       \
  F(high_product_i32, i32, i32, i32(i64(a) * b >> 32))                                                       \
  F(high_product_u64, u64, u64, u64(u128(a) * b >> 64))                                                      \
  F(high_product_i64, i64, i64, i64(i128(a) * b >> 64))                                                      \
  F(wide_product_u32, u64, u32, u64(a) * b + c)                                                              \
  F(wide_product_i32, i64, i32, i64(a) * b + c)                                                              \
  F(product_of_24_bits, u32, u32, (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)                                       \
  F(signed_product_of_24_bits, i32, i32, (a << 8 >> 8) * i64(b << 8 >> 8) & 0x7FFFFFFF)                      \
  F(funnel, u32, u32, u32((u64(a) << 32 | b) >> (c & 31)))                                                   \
  F(reverse_bits_32, u32, u32, __builtin_bitreverse32(a))                                                    \
  F(reverse_bits_64, u64, u64, __builtin_bitreverse64(a))                                                    \
  F(swap_bytes_32, u32, u32, __builtin_bswap32(a))                                                           \
  F(swap_bytes_64, u64, u64, __builtin_bswap64(a))                                                           \
  F(count_ones_32, u32, u32, __builtin_popcount(a) + b)                                                      \
  F(count_ones_64, u32, u64, __builtin_popcountll(a))                                                        \
  F(leading_zeros_32, u32, u32, a ? __builtin_clz(a) : 77)                                                   \
  F(leading_zeros_64, u32, u64, a ? __builtin_clzll(a) : 77)                                                 \
  F(trailing_zeros_32, u32, u32, a ? __builtin_ctz(a) : 77)                                                  \
  F(trailing_zeros_64, u32, u64, a ? __builtin_ctzll(a) : 77)                                                \
  F(bytes_mixed, u32, u32, (a & 0xFF) << 24 | (b >> 8 & 0xFF) << 16 | (c & 0xFF00) | (a >> 24))              \
  F(sum_of_bytes, u32, u32, (a & 0xFF) + (a >> 8 & 0xFF) + (a >> 16 & 0xFF) + (a >> 24) + b)                 \
  F(dot_of_bytes, i32, u32,                                                                                  \
    i8(a) * i8(b) + i8(a >> 8) * i8(b >> 8) + i8(a >> 16) * i8(b >> 16) + i8(a >> 24) * i8(b >> 24))         \
  F(wide_add, u64, u64, a + (b << (c & 3)))                                                                  \
  F(wide_carry_chain, u64, u64, u64(((u128(a) << 64 | b) + (u128(c) << 64 | a)) >> 64))                      \
  F(two_halves_add, u32, u32, cast<u32>(cast<Two<u16>>(a) + cast<Two<u16>>(b)))                              \
  F(two_halves_mad, u32, u32, cast<u32>(cast<Two<u16>>(a) * cast<Two<u16>>(b) + cast<Two<u16>>(c)))          \
  F(two_halves_min, u32, u32, cast<u32>(__builtin_elementwise_min(cast<Two<i16>>(a), cast<Two<i16>>(b))))    \
  F(two_halves_max, u32, u32, cast<u32>(__builtin_elementwise_max(cast<Two<u16>>(a), cast<Two<u16>>(b))))    \
  F(two_halves_shift, u32, u32, cast<u32>(cast<Two<u16>>(a) << (cast<Two<u16>>(b) & u16(15))))               \
  F(two_halves_signed_shift, u32, u32, cast<u32>(cast<Two<i16>>(a) >> (cast<Two<i16>>(b) & i16(15))))        \
  F(two_halves_saturate, u32, u32,                                                                           \
    cast<u32>(__builtin_elementwise_add_sat(cast<Two<i16>>(a), cast<Two<i16>>(b))))

// `suffix` is that of the C library's functions.
#define FLOAT_FUNCTIONS(F, T, suffix)                                                                        \
  F(add_##T, T, T, a + b)                                                                                    \
  F(sub_##T, T, T, a - b)                                                                                    \
  F(mul_##T, T, T, a* b)                                                                                     \
  F(mul_then_add_##T, T, T, a* b + c)                                                                        \
  F(fma_##T, T, T, __builtin_fma##suffix(a, b, c))                                                           \
  F(fma_negated_##T, T, T, __builtin_fma##suffix(-a, b, __builtin_fabs##suffix(c)))                          \
  F(negate_absolute_##T, T, T, -__builtin_fabs##suffix(a) - b)                                               \
  F(copysign_##T, T, T, __builtin_copysign##suffix(a, b))                                                    \
  F(div_##T, T, T, a / b)                                                                                    \
  F(reciprocal_##T, T, T, 1 / a)                                                                             \
  F(sqrt_##T, T, T, __builtin_sqrt##suffix(a))                                                               \
  F(min_##T, T, T, a == b ? a + b : __builtin_fmin##suffix(a, b))                                            \
  F(max_##T, T, T, a == b ? a + b : __builtin_fmax##suffix(a, b))                                            \
  F(select_min_##T, T, T, a < b ? a : b)                                                                     \
  F(clamp_##T, T, T, a > 0 ? (a < 1 ? a : T(1)) : T(0))                                                      \
  F(floor_##T, T, T, __builtin_floor##suffix(a))                                                             \
  F(ceil_##T, T, T, __builtin_ceil##suffix(a))                                                               \
  F(trunc_##T, T, T, __builtin_trunc##suffix(a))                                                             \
  F(rint_##T, T, T, __builtin_rint##suffix(a))                                                               \
  F(round_##T, T, T, __builtin_round##suffix(a))                                                             \
  F(ldexp_##T, T, T, __builtin_ldexp##suffix(a, int(cast<u##T>(b) % 2500) - 1250))                           \
  F(compare_##T, u32, T,                                                                                     \
    u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a > c) << 3 | u32(b >= c) << 4 |                  \
        u32(b != c) << 5 | u32(!(a < c)) << 6 | u32(!(b >= a)) << 7)                                         \
  F(unordered_##T, u32, T, u32(__builtin_isunordered(a, b)) | u32(__builtin_islessgreater(b, c)) << 1)       \
  F(class_##T, u32, T,                                                                                       \
    u32(__builtin_isinf(a)) | u32(__builtin_isnan(b)) << 1 | u32(__builtin_isfinite(c)) << 2 |               \
        u32(__builtin_isnormal(a)) << 3)                                                                     \
  F(to_i32_##T, i32, T, __builtin_fabs##suffix(a) < 2e9 ? i32(a) : 0)                                        \
  F(to_u32_##T, u32, T, a > -1 && a < 4e9 ? u32(a) : 0)                                                      \
  F(to_i64_##T, i64, T, __builtin_fabs##suffix(a) < 9e18 ? i64(a) : 0)                                       \
  F(to_u64_##T, u64, T, a > -1 && a < 1.8e19 ? u64(a) : 0)                                                   \
  F(from_i32_##T, T, i32, T(a))                                                                              \
  F(from_u32_##T, T, u32, T(a))                                                                              \
  F(from_i64_##T, T, i64, T(a))                                                                              \
  F(from_u64_##T, T, u64, T(a))                                                                              \
  F(from_u8_##T, T, u32, T(a >> 8 & 0xFF) + T(b & 0xFF))

using uf32 = u32; // bits of the float types, for ldexp's exponent
using uf64 = u64;

#define OTHER_FLOAT_FUNCTIONS(F)                                                                             \
  F(f32_of_f64, f32, f64, f32(a))                                                                            \
  F(f64_of_f32, f64, f32, f64(a))                                                                            \
  F(f16_of_f32, f16, f32, f16(a))                                                                            \
  F(f32_of_f16, f32, f16, f32(a))                                                                            \
  F(f16_of_i16, f16, i16, f16(a))                                                                            \
  F(f16_of_u16, f16, u16, f16(a))                                                                            \
  F(i16_of_f16, i16, f16, a > f16(-32000) && a < f16(32000) ? i16(a) : i16(0))                               \
  F(u16_of_f16, u16, f16, a > f16(-1) && a < f16(65000) ? u16(a) : u16(0))                                   \
  F(add_f16, f16, f16, f16(a + b))                                                                           \
  F(sub_f16, f16, f16, f16(a - b))                                                                           \
  F(mul_f16, f16, f16, f16(a* b))                                                                            \
  F(div_f16, f16, f16, f16(a / b))                                                                           \
  F(fma_f16, f16, f16, f16(__builtin_fma(f64(a), f64(b), f64(c))))                                           \
  F(compare_f16, u32, f16,                                                                                   \
    u32(a < b) | u32(a <= b) << 1 | u32(a == b) << 2 | u32(a > c) << 3 | u32(b >= c) << 4 |                  \
        u32(b != c) << 5)                                                                                    \
  F(select_f16, f16, f16, a < b ? c : a)                                                                     \
  F(two_adds_f16, Two<f16>, u32,                                                                             \
    (Two<f16>{f16(cast<Two<f16>>(a).x + cast<Two<f16>>(b).x),                                                \
              f16(cast<Two<f16>>(a).y + cast<Two<f16>>(b).y)}))                                              \
  F(two_products_f32, Two<f32>, u64, cast<Two<f32>>(a) * cast<Two<f32>>(b))                                  \
  F(two_sums_f32, Two<f32>, u64, cast<Two<f32>>(a) + cast<Two<f32>>(b).yx)                                   \
  F(two_fmas_f32, Two<f32>, u64,                                                                             \
    __builtin_elementwise_fma(cast<Two<f32>>(a), cast<Two<f32>>(b), -cast<Two<f32>>(c)))

#define FMHA950_DIFFERENTIAL_FUNCTIONS(F)                                                                    \
  INTEGER_FUNCTIONS(F, u16, i16, 16)                                                                         \
  INTEGER_FUNCTIONS(F, u32, i32, 32)                                                                         \
  INTEGER_FUNCTIONS(F, u64, i64, 64)                                                                         \
  WIDE_INTEGER_FUNCTIONS(F)                                                                                  \
  FLOAT_FUNCTIONS(F, f32, f)                                                                                 \
  FLOAT_FUNCTIONS(F, f64, )                                                                                  \
  OTHER_FLOAT_FUNCTIONS(F)

} // namespace fmha950::differential
