// Integers, bits and bytes: families valu_int, valu_int16, valu_bits, valu_bytes, and the moves of lane.

#include "tests/emulator/semantics/reference.hpp"

#include <algorithm>

namespace fmha950::semantics {
namespace {

template <class To, class T> To saturated(T value) {
  constexpr auto low = std::is_signed_v<To> ? -(i64{1} << (8 * sizeof(To) - 1)) : 0;
  constexpr auto high = (i64{1} << (8 * sizeof(To) - (std::is_signed_v<To> ? 1 : 0))) - 1;
  return static_cast<To>(std::clamp<i64>(value, low, high));
}
i64 low24(u32 x) { return x & 0xFFFFFF; }
i64 low24(i32 x) { return static_cast<i32>(static_cast<u32>(x) << 8) >> 8; }
u64 wide(u32 x) { return x; }

using Sum = with_carry<u32>;
Sum add(u32 a, u32 b, bool c = false) {
  const u64 result = u64{a} + b + c;
  return {u32(result), result >> 32 != 0};
}
Sum subtract(u32 a, u32 b, bool c = false) { return {a - b - c, u64{a} < u64{b} + c}; }
Sum clamp_sum(Sum r) { return {r.carry_out ? ~0u : r.value, r.carry_out}; }
Sum clamp_difference(Sum r) { return {r.carry_out ? 0 : r.value, r.carry_out}; }

template <class T> T middle(T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
u32 rotated_bits(u32 x) {
  u32 result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}
u32 byte_of(u64 x, int i) { return x >> (8 * i) & 0xFF; }
u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
u32 byte_distances(u64 a, u32 b, bool masked) {
  u32 sum = 0;
  for (int i = 0; i < 4; ++i)
    if (!masked || byte_of(b, i)) sum += distance(byte_of(a, i), byte_of(b, i));
  return sum;
}
u64 sliding_distances(u64 a, u32 b, u64 c, bool masked) {
  u64 result = 0;
  for (int i = 0; i < 4; ++i)
    result |= u64{u16(byte_distances(a >> (8 * i), b, masked) + (c >> (16 * i)))} << (16 * i);
  return result;
}
u32 permuted(u32 a, u32 b, u32 selectors) {
  const u64 bytes = u64{a} << 32 | b;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 s = byte_of(selectors, i);
    const u32 value = s >= 13   ? 0xFF
                      : s == 12 ? 0
                      : s >= 8  ? (byte_of(bytes, static_cast<int>(2 * (s - 8) + 1)) & 0x80 ? 0xFF : 0)
                                : byte_of(bytes, static_cast<int>(s));
    result |= value << (8 * i);
  }
  return result;
}
u32 averaged(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i)
    result |= ((byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) / 2) << (8 * i);
  return result;
}
i32 signed_field(i32 x, u32 offset, u32 width) {
  u32 result = 0;
  width &= 31;
  for (u32 i = 0; i < width; ++i) result |= u32(i64{x} >> ((offset & 31) + i) & 1) << i;
  return width && result >> (width - 1) & 1 ? i32(result | ~0u << width) : i32(result);
}
i32 first_one_from_top(u32 x) {
  for (int i = 0; i < 32; ++i)
    if (x >> (31 - i) & 1) return i;
  return -1;
}
u64 left_then_add(u64 a, u32 n, u64 c) { return (a << ((n & 7) > 4 ? 0 : n & 7)) + c; }

} // namespace

References integer_references() {
  return {
      reference<u32(u32)>("v_mov_b32", [](u32 a) { return a; }),
      reference<u64(u64)>("v_mov_b64", [](u64 a) { return a; }),
      reference<b32(b32, b32, carry)>("v_cndmask_b32", [](b32 a, b32 b, carry c) { return c.bit ? b : a; }),

      reference<u32(u32, u32)>(
          "v_add_u32", [](u32 a, u32 b) { return a + b; },
          [](u32 a, u32 b) { return saturated<u32>(i64{a} + b); }),
      reference<u32(u32, u32)>(
          "v_sub_u32", [](u32 a, u32 b) { return a - b; },
          [](u32 a, u32 b) { return saturated<u32>(i64{a} - b); }),
      reference<u32(u32, u32)>(
          "v_subrev_u32", [](u32 a, u32 b) { return b - a; },
          [](u32 a, u32 b) { return saturated<u32>(i64{b} - a); }),
      reference<i32(i32, i32)>(
          "v_add_i32", [](i32 a, i32 b) { return i32(i64{a} + b); },
          [](i32 a, i32 b) { return saturated<i32>(i64{a} + b); }),
      reference<i32(i32, i32)>(
          "v_sub_i32", [](i32 a, i32 b) { return i32(i64{a} - b); },
          [](i32 a, i32 b) { return saturated<i32>(i64{a} - b); }),
      reference<Sum(u32, u32)>(
          "v_add_co_u32", [](u32 a, u32 b) { return add(a, b); },
          [](u32 a, u32 b) { return clamp_sum(add(a, b)); }),
      reference<Sum(u32, u32)>(
          "v_sub_co_u32", [](u32 a, u32 b) { return subtract(a, b); },
          [](u32 a, u32 b) { return clamp_difference(subtract(a, b)); }),
      reference<Sum(u32, u32)>(
          "v_subrev_co_u32", [](u32 a, u32 b) { return subtract(b, a); },
          [](u32 a, u32 b) { return clamp_difference(subtract(b, a)); }),
      reference<Sum(u32, u32, carry)>(
          "v_addc_co_u32", [](u32 a, u32 b, carry c) { return add(a, b, c.bit); },
          [](u32 a, u32 b, carry c) { return clamp_sum(add(a, b, c.bit)); }),
      reference<Sum(u32, u32, carry)>(
          "v_subb_co_u32", [](u32 a, u32 b, carry c) { return subtract(a, b, c.bit); },
          [](u32 a, u32 b, carry c) { return clamp_difference(subtract(a, b, c.bit)); }),
      reference<Sum(u32, u32, carry)>(
          "v_subbrev_co_u32", [](u32 a, u32 b, carry c) { return subtract(b, a, c.bit); },
          [](u32 a, u32 b, carry c) { return clamp_difference(subtract(b, a, c.bit)); }),
      reference<u32(u32, u32)>("v_mul_lo_u32", [](u32 a, u32 b) { return a * b; }),
      reference<u32(u32, u32)>("v_mul_hi_u32", [](u32 a, u32 b) { return u32(wide(a) * b >> 32); }),
      reference<i32(i32, i32)>("v_mul_hi_i32", [](i32 a, i32 b) { return i32(i64{a} * b >> 32); }),
      reference<u32(u32, u32)>("v_mul_u32_u24", [](u32 a, u32 b) { return u32(low24(a) * low24(b)); }),
      reference<u32(u32, u32)>("v_mul_hi_u32_u24",
                               [](u32 a, u32 b) { return u32(low24(a) * low24(b) >> 32); }),
      reference<i32(i32, i32)>("v_mul_i32_i24", [](i32 a, i32 b) { return i32(low24(a) * low24(b)); }),
      reference<i32(i32, i32)>("v_mul_hi_i32_i24",
                               [](i32 a, i32 b) { return i32(low24(a) * low24(b) >> 32); }),
      reference<u32(u32, u32, u32)>(
          "v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return u32(low24(a) * low24(b)) + c; },
          [](u32 a, u32 b, u32 c) { return saturated<u32>(low24(a) * low24(b) + c); }),
      reference<i32(i32, i32, i32)>(
          "v_mad_i32_i24", [](i32 a, i32 b, i32 c) { return i32(low24(a) * low24(b) + c); },
          [](i32 a, i32 b, i32 c) { return saturated<i32>(low24(a) * low24(b) + c); }),
      reference<with_carry<u64>(u32, u32, u64)>("v_mad_u64_u32",
                                                [](u32 a, u32 b, u64 c) {
                                                  const auto sum = static_cast<unsigned __int128>(a) * b + c;
                                                  return with_carry<u64>{u64(sum), (sum >> 64) != 0};
                                                }),
      reference<with_carry<u64>(i32, i32, i64)>("v_mad_i64_i32",
                                                [](i32 a, i32 b, i64 c) {
                                                  const auto sum = static_cast<__int128>(a) * b + c;
                                                  return with_carry<u64>{u64(sum), sum < 0};
                                                }),
      reference<u32(u32, u32, u32)>("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; }),
      reference<u32(u32, u32, u32)>("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
      reference<u32(u32, u32, u32)>("v_lshl_add_u32",
                                    [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
      reference<u32(u32, u32, u32)>("v_add_lshl_u32",
                                    [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }),
      reference<u64(u64, u32, u64)>("v_lshl_add_u64",
                                    [](u64 a, u32 b, u64 c) { return left_then_add(a, b, c); }),
      reference<u32(u32, u32)>("v_min_u32", [](u32 a, u32 b) { return std::min(a, b); }),
      reference<u32(u32, u32)>("v_max_u32", [](u32 a, u32 b) { return std::max(a, b); }),
      reference<i32(i32, i32)>("v_min_i32", [](i32 a, i32 b) { return std::min(a, b); }),
      reference<i32(i32, i32)>("v_max_i32", [](i32 a, i32 b) { return std::max(a, b); }),
      reference<u32(u32, u32, u32)>("v_min3_u32", [](u32 a, u32 b, u32 c) { return std::min({a, b, c}); }),
      reference<u32(u32, u32, u32)>("v_max3_u32", [](u32 a, u32 b, u32 c) { return std::max({a, b, c}); }),
      reference<u32(u32, u32, u32)>("v_med3_u32", [](u32 a, u32 b, u32 c) { return middle(a, b, c); }),
      reference<i32(i32, i32, i32)>("v_min3_i32", [](i32 a, i32 b, i32 c) { return std::min({a, b, c}); }),
      reference<i32(i32, i32, i32)>("v_max3_i32", [](i32 a, i32 b, i32 c) { return std::max({a, b, c}); }),
      reference<i32(i32, i32, i32)>("v_med3_i32", [](i32 a, i32 b, i32 c) { return middle(a, b, c); }),

      reference<u16(u16, u16)>(
          "v_add_u16", [](u16 a, u16 b) { return u16(a + b); },
          [](u16 a, u16 b) { return saturated<u16>(a + b); }),
      reference<u16(u16, u16)>(
          "v_sub_u16", [](u16 a, u16 b) { return u16(a - b); },
          [](u16 a, u16 b) { return saturated<u16>(a - b); }),
      reference<u16(u16, u16)>(
          "v_subrev_u16", [](u16 a, u16 b) { return u16(b - a); },
          [](u16 a, u16 b) { return saturated<u16>(b - a); }),
      reference<half<i16>(i16, i16)>(
          "v_add_i16", [](i16 a, i16 b) { return half<i16>{i16(a + b)}; },
          [](i16 a, i16 b) { return half<i16>{saturated<i16>(a + b)}; }),
      reference<half<i16>(i16, i16)>(
          "v_sub_i16", [](i16 a, i16 b) { return half<i16>{i16(a - b)}; },
          [](i16 a, i16 b) { return half<i16>{saturated<i16>(a - b)}; }),
      reference<u16(u16, u16)>("v_mul_lo_u16", [](u16 a, u16 b) { return u16(u32{a} * b); }),
      reference<u16(u16, u16, u16)>(
          "v_mad_legacy_u16", [](u16 a, u16 b, u16 c) { return u16(u32{a} * b + c); },
          [](u16 a, u16 b, u16 c) { return saturated<u16>(i64{a} * b + c); }),
      reference<i16(i16, i16, i16)>(
          "v_mad_legacy_i16", [](i16 a, i16 b, i16 c) { return i16(a * b + c); },
          [](i16 a, i16 b, i16 c) { return saturated<i16>(a * b + c); }),
      reference<half<u16>(u16, u16, u16)>(
          "v_mad_u16", [](u16 a, u16 b, u16 c) { return half<u16>{u16(u32{a} * b + c)}; },
          [](u16 a, u16 b, u16 c) { return half<u16>{saturated<u16>(i64{a} * b + c)}; }),
      reference<half<i16>(i16, i16, i16)>(
          "v_mad_i16", [](i16 a, i16 b, i16 c) { return half<i16>{i16(a * b + c)}; },
          [](i16 a, i16 b, i16 c) { return half<i16>{saturated<i16>(a * b + c)}; }),
      with_op_sel(reference<u32(u16, u16, u32)>(
          "v_mad_u32_u16", [](u16 a, u16 b, u32 c) { return u32{a} * b + c; },
          [](u16 a, u16 b, u32 c) { return saturated<u32>(i64{a} * b + c); })),
      with_op_sel(reference<i32(i16, i16, i32)>(
          "v_mad_i32_i16", [](i16 a, i16 b, i32 c) { return i32(i64{a} * b + c); },
          [](i16 a, i16 b, i32 c) { return saturated<i32>(i64{a} * b + c); })),
      reference<u16(u16, u16)>("v_lshlrev_b16", [](u16 a, u16 b) { return u16(b << (a & 15)); }),
      reference<u16(u16, u16)>("v_lshrrev_b16", [](u16 a, u16 b) { return u16(b >> (a & 15)); }),
      reference<i16(i16, i16)>("v_ashrrev_i16", [](i16 a, i16 b) { return i16(b >> (a & 15)); }),
      reference<u16(u16, u16)>("v_min_u16", [](u16 a, u16 b) { return std::min(a, b); }),
      reference<u16(u16, u16)>("v_max_u16", [](u16 a, u16 b) { return std::max(a, b); }),
      reference<i16(i16, i16)>("v_min_i16", [](i16 a, i16 b) { return std::min(a, b); }),
      reference<i16(i16, i16)>("v_max_i16", [](i16 a, i16 b) { return std::max(a, b); }),
      reference<half<u16>(u16, u16, u16)>("v_min3_u16",
                                          [](u16 a, u16 b, u16 c) { return half<u16>{std::min({a, b, c})}; }),
      reference<half<u16>(u16, u16, u16)>("v_max3_u16",
                                          [](u16 a, u16 b, u16 c) { return half<u16>{std::max({a, b, c})}; }),
      reference<half<u16>(u16, u16, u16)>("v_med3_u16",
                                          [](u16 a, u16 b, u16 c) { return half<u16>{middle(a, b, c)}; }),
      reference<half<i16>(i16, i16, i16)>("v_min3_i16",
                                          [](i16 a, i16 b, i16 c) { return half<i16>{std::min({a, b, c})}; }),
      reference<half<i16>(i16, i16, i16)>("v_max3_i16",
                                          [](i16 a, i16 b, i16 c) { return half<i16>{std::max({a, b, c})}; }),
      reference<half<i16>(i16, i16, i16)>("v_med3_i16",
                                          [](i16 a, i16 b, i16 c) { return half<i16>{middle(a, b, c)}; }),

      reference<u32(u32)>("v_not_b32", [](u32 a) { return ~a; }),
      reference<u32(u32, u32)>("v_and_b32", [](u32 a, u32 b) { return a & b; }),
      reference<u32(u32, u32)>("v_or_b32", [](u32 a, u32 b) { return a | b; }),
      reference<u32(u32, u32)>("v_xor_b32", [](u32 a, u32 b) { return a ^ b; }),
      reference<u32(u32, u32)>("v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); }),
      reference<u32(u32, u32, u32)>("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; }),
      reference<u32(u32, u32, u32)>("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; }),
      reference<u32(u32, u32, u32)>("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }),
      reference<u32(u32, u32)>("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); }),
      reference<u32(u32, u32)>("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); }),
      reference<i32(u32, i32)>("v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); }),
      reference<u64(u32, u64)>("v_lshlrev_b64", [](u32 a, u64 b) { return b << (a & 63); }),
      reference<u64(u32, u64)>("v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a & 63); }),
      reference<i64(u32, i64)>("v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); }),
      reference<u32(u32, u32, u32)>("v_alignbit_b32",
                                    [](u32 a, u32 b, u32 c) { return u32((u64{a} << 32 | b) >> (c & 31)); }),
      reference<u32(u32, u32, u32)>(
          "v_alignbyte_b32", [](u32 a, u32 b, u32 c) { return u32((u64{a} << 32 | b) >> 8 * (c & 3)); }),
      reference<u32(u32, u32, u32)>(
          "v_bfe_u32", [](u32 a, u32 b, u32 c) { return a >> (b & 31) & u32((u64{1} << (c & 31)) - 1); }),
      reference<i32(i32, u32, u32)>("v_bfe_i32", [](i32 a, u32 b, u32 c) { return signed_field(a, b, c); }),
      reference<u32(u32, u32, u32)>("v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }),
      reference<u32(u32, u32)>("v_bfm_b32", [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }),
      reference<u32(u32)>("v_bfrev_b32", [](u32 a) { return rotated_bits(a); }),
      reference<i32(u32)>("v_ffbh_u32", [](u32 a) { return first_one_from_top(a); }),
      reference<i32(u32)>("v_ffbl_b32",
                          [](u32 a) {
                            const i32 from_top = first_one_from_top(a & (0 - a));
                            return from_top < 0 ? -1 : 31 - from_top;
                          }),
      reference<i32(i32)>("v_ffbh_i32", [](i32 a) { return first_one_from_top(u32(a < 0 ? ~a : a)); }),
      reference<u32(u32, u32)>("v_bcnt_u32_b32", [](u32 a, u32 b) { return u32(__builtin_popcount(a)) + b; }),
      reference<u32(u32)>("v_prng_b32", [](u32 a) { return a << 1 ^ (i32(a) < 0 ? 0xC5u : 0u); }),

      reference<u32(u32, u32, u32)>("v_perm_b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); }),
      reference<u32(u32, u32, u32)>("v_lerp_u8", [](u32 a, u32 b, u32 c) { return averaged(a, b, c); }),
      reference<u32(u32, u32, u32)>("v_sad_u8",
                                    [](u32 a, u32 b, u32 c) { return byte_distances(a, b, false) + c; }),
      reference<u32(u32, u32, u32)>("v_msad_u8",
                                    [](u32 a, u32 b, u32 c) { return byte_distances(a, b, true) + c; }),
      reference<u32(u32, u32, u32)>(
          "v_sad_hi_u8", [](u32 a, u32 b, u32 c) { return (byte_distances(a, b, false) << 16) + c; }),
      reference<u32(u32, u32, u32)>(
          "v_sad_u16",
          [](u32 a, u32 b, u32 c) { return distance(u16(a), u16(b)) + distance(a >> 16, b >> 16) + c; }),
      reference<u32(u32, u32, u32)>("v_sad_u32", [](u32 a, u32 b, u32 c) { return distance(a, b) + c; }),
      reference<u64(u64, u32, u64)>("v_qsad_pk_u16_u8",
                                    [](u64 a, u32 b, u64 c) { return sliding_distances(a, b, c, false); }),
      reference<u64(u64, u32, u64)>("v_mqsad_pk_u16_u8",
                                    [](u64 a, u32 b, u64 c) { return sliding_distances(a, b, c, true); }),
      reference<u16(u32)>("v_sat_pk_u8_i16",
                          [](u32 a) {
                            return u16(std::clamp<int>(i16(a), 0, 255) | std::clamp<int>(i16(a >> 16), 0, 255)
                                                                             << 8);
                          }),
      reference<half<u16>(i32, i32, u32)>("v_ashr_pk_i8_i32",
                                          [](i32 a, i32 b, u32 c) {
                                            return half<u16>{
                                                u16((std::clamp(a >> (c & 31), -128, 127) & 0xFF) |
                                                    (std::clamp(b >> (c & 31), -128, 127) & 0xFF) << 8)};
                                          }),
      reference<half<u16>(i32, i32, u32)>("v_ashr_pk_u8_i32",
                                          [](i32 a, i32 b, u32 c) {
                                            return half<u16>{u16(std::clamp(a >> (c & 31), 0, 255) |
                                                                 std::clamp(b >> (c & 31), 0, 255) << 8)};
                                          }),
  };
}

} // namespace fmha950::semantics
