// Scalar ALU: families salu and sop1. A carry source is SCC; results say what becomes of SCC: with_carry
// gives it, nonzero sets it where the value is not zero, a plain value leaves it alone, bool is SCC only.

#include "tests/emulator/semantics/reference.hpp"

#include <algorithm>

namespace fmha950::semantics {
namespace {

template <class T> using nonzero = with_carry<T>;
template <class T> nonzero<T> tested(T value) { return {value, value != 0}; }

template <class T> with_carry<T> overflowing(__int128 exact) {
  const T value = static_cast<T>(exact);
  return {value, value != exact};
}
template <class T> T field(T x, u32 control) { // bit by bit
  constexpr u32 bits = 8 * sizeof(T);
  const u32 offset = control & (bits - 1), width = std::min<u32>(control >> 16 & 0x7F, bits);
  u64 result = 0;
  for (u32 i = 0; i < width; ++i) {
    const u32 from = std::min(offset + i, bits - 1);
    const bool beyond = offset + i >= bits;
    const bool bit = static_cast<u64>(x) >> from & 1;
    result |= u64{beyond ? std::is_signed_v<T> && bit : bit} << i;
  }
  if (std::is_signed_v<T> && width && width < 64 && result >> (width - 1) & 1) result |= ~u64{0} << width;
  return static_cast<T>(result);
}
template <class T> T field_mask(u32 width, u32 offset) {
  constexpr u32 bits = 8 * sizeof(T);
  T mask = 0;
  for (u32 i = 0; i < (width & (bits - 1)); ++i)
    if (i + (offset & (bits - 1)) < bits) mask |= T{1} << (i + (offset & (bits - 1)));
  return mask;
}
template <class T> i32 count(T x, bool ones) {
  i32 n = 0;
  for (u32 i = 0; i < 8 * sizeof(T); ++i) n += (x >> i & 1) == T{ones};
  return n;
}
template <class T> i32 lowest(T x, bool one) {
  for (u32 i = 0; i < 8 * sizeof(T); ++i)
    if ((x >> i & 1) == T{one}) return static_cast<i32>(i);
  return -1;
}
template <class T> i32 from_top(T x) {
  for (u32 i = 0; i < 8 * sizeof(T); ++i)
    if (x >> (8 * sizeof(T) - 1 - i) & 1) return static_cast<i32>(i);
  return -1;
}
template <class T> T mirrored(T x) {
  T result = 0;
  for (u32 i = 0; i < 8 * sizeof(T); ++i) result |= (x >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}
template <class T> T quads(T x, bool whole) {
  T result = 0;
  for (u32 i = 0; i < 8 * sizeof(T); i += 4)
    if (x >> i & 15) result |= whole ? T{15} << i : T{1} << (i / 4);
  return result;
}
u64 doubled_bits(u32 x) {
  u64 result = 0;
  for (int i = 0; i < 64; ++i) result |= u64{x >> (i / 2) & 1} << i;
  return result;
}

} // namespace

#define LOGIC(name, expression)                                                                              \
  reference<nonzero<u32>(u32, u32)>("s_" name "_b32", [](u32 a, u32 b) { return tested<u32>(expression); }), \
      reference<nonzero<u64>(u64, u64)>("s_" name "_b64",                                                    \
                                        [](u64 a, u64 b) { return tested<u64>(expression); })
#define COMPARE(name, op)                                                                                    \
  reference<bool(i32, i32)>("s_cmp_" name "_i32", [](i32 a, i32 b) { return a op b; }),                      \
      reference<bool(u32, u32)>("s_cmp_" name "_u32", [](u32 a, u32 b) { return a op b; }),                  \
      reference<bool(i32, i32)>("s_cmpk_" name "_i32", [](i32 a, i32 k) { return a op k; }),                 \
      reference<bool(u32, u32)>("s_cmpk_" name "_u32", [](u32 a, u32 k) { return a op(k & 0xFFFF); })
#define SHIFT_ADD(n)                                                                                         \
  reference<with_carry<u32>(u32, u32)>("s_lshl" #n "_add_u32", [](u32 a, u32 b) {                            \
    return overflowing<u32>((static_cast<__int128>(a) << n) + b);                                            \
  })

References scalar_references() {
  return {
      reference<with_carry<u32>(u32, u32)>("s_add_u32",
                                           [](u32 a, u32 b) { return overflowing<u32>(__int128{a} + b); }),
      reference<with_carry<u32>(u32, u32)>("s_sub_u32",
                                           [](u32 a, u32 b) { return overflowing<u32>(__int128{a} - b); }),
      reference<with_carry<i32>(i32, i32)>("s_add_i32",
                                           [](i32 a, i32 b) { return overflowing<i32>(__int128{a} + b); }),
      reference<with_carry<i32>(i32, i32)>("s_sub_i32",
                                           [](i32 a, i32 b) { return overflowing<i32>(__int128{a} - b); }),
      reference<with_carry<u32>(u32, u32, carry)>(
          "s_addc_u32", [](u32 a, u32 b, carry c) { return overflowing<u32>(__int128{a} + b + c.bit); }),
      reference<with_carry<u32>(u32, u32, carry)>(
          "s_subb_u32", [](u32 a, u32 b, carry c) { return overflowing<u32>(__int128{a} - b - c.bit); }),
      // SCC: the first operand was chosen.
      reference<with_carry<i32>(i32, i32)>(
          "s_min_i32", [](i32 a, i32 b) { return with_carry<i32>{std::min(a, b), a < b}; }),
      reference<with_carry<u32>(u32, u32)>(
          "s_min_u32", [](u32 a, u32 b) { return with_carry<u32>{std::min(a, b), a < b}; }),
      reference<with_carry<i32>(i32, i32)>(
          "s_max_i32", [](i32 a, i32 b) { return with_carry<i32>{std::max(a, b), a > b}; }),
      reference<with_carry<u32>(u32, u32)>(
          "s_max_u32", [](u32 a, u32 b) { return with_carry<u32>{std::max(a, b), a > b}; }),
      reference<u32(u32, u32, carry)>("s_cselect_b32", [](u32 a, u32 b, carry c) { return c.bit ? a : b; }),
      reference<u64(u64, u64, carry)>("s_cselect_b64", [](u64 a, u64 b, carry c) { return c.bit ? a : b; }),
      LOGIC("and", a & b),
      LOGIC("or", a | b),
      LOGIC("xor", a ^ b),
      LOGIC("andn2", a & ~b),
      LOGIC("orn2", a | ~b),
      LOGIC("nand", ~(a & b)),
      LOGIC("nor", ~(a | b)),
      LOGIC("xnor", ~(a ^ b)),
      reference<nonzero<u32>(u32, u32)>("s_lshl_b32",
                                        [](u32 a, u32 b) { return tested<u32>(a << (b & 31)); }),
      reference<nonzero<u64>(u64, u32)>("s_lshl_b64",
                                        [](u64 a, u32 b) { return tested<u64>(a << (b & 63)); }),
      reference<nonzero<u32>(u32, u32)>("s_lshr_b32",
                                        [](u32 a, u32 b) { return tested<u32>(a >> (b & 31)); }),
      reference<nonzero<u64>(u64, u32)>("s_lshr_b64",
                                        [](u64 a, u32 b) { return tested<u64>(a >> (b & 63)); }),
      reference<nonzero<i32>(i32, u32)>("s_ashr_i32",
                                        [](i32 a, u32 b) { return tested<i32>(a >> (b & 31)); }),
      reference<nonzero<i64>(i64, u32)>("s_ashr_i64",
                                        [](i64 a, u32 b) { return tested<i64>(a >> (b & 63)); }),
      reference<u32(u32, u32)>("s_bfm_b32", [](u32 a, u32 b) { return field_mask<u32>(a, b); }),
      reference<u64(u32, u32)>("s_bfm_b64", [](u32 a, u32 b) { return field_mask<u64>(a, b); }),
      reference<u32(u32, u32)>("s_mul_i32", [](u32 a, u32 b) { return a * b; }),
      reference<u32(u32, u32)>("s_mul_hi_u32", [](u32 a, u32 b) { return u32(u64{a} * b >> 32); }),
      reference<i32(i32, i32)>("s_mul_hi_i32", [](i32 a, i32 b) { return i32(i64{a} * b >> 32); }),
      reference<nonzero<u32>(u32, u32)>("s_bfe_u32", [](u32 a, u32 b) { return tested(field(a, b)); }),
      reference<nonzero<i32>(i32, u32)>("s_bfe_i32", [](i32 a, u32 b) { return tested(field(a, b)); }),
      reference<nonzero<u64>(u64, u32)>("s_bfe_u64", [](u64 a, u32 b) { return tested(field(a, b)); }),
      reference<nonzero<i64>(i64, u32)>("s_bfe_i64", [](i64 a, u32 b) { return tested(field(a, b)); }),
      reference<nonzero<u32>(i32, i32)>("s_absdiff_i32",
                                        [](i32 a, i32 b) { // the difference wraps, then its magnitude
                                          const i64 difference = i32(i64{a} - b);
                                          return tested(u32(difference < 0 ? -difference : difference));
                                        }),
      SHIFT_ADD(1),
      SHIFT_ADD(2),
      SHIFT_ADD(3),
      SHIFT_ADD(4),
      reference<u32(u32, u32)>("s_pack_ll_b32_b16", [](u32 a, u32 b) { return u16(a) | b << 16; }),
      reference<u32(u32, u32)>("s_pack_lh_b32_b16", [](u32 a, u32 b) { return u16(a) | b >> 16 << 16; }),
      reference<u32(u32, u32)>("s_pack_hh_b32_b16", [](u32 a, u32 b) { return a >> 16 | b >> 16 << 16; }),

      COMPARE("eq", ==),
      COMPARE("lg", !=),
      COMPARE("gt", >),
      COMPARE("ge", >=),
      COMPARE("lt", <),
      COMPARE("le", <=),
      reference<bool(u64, u64)>("s_cmp_eq_u64", [](u64 a, u64 b) { return a == b; }),
      reference<bool(u64, u64)>("s_cmp_lg_u64", [](u64 a, u64 b) { return a != b; }),
      reference<bool(u32, u32)>("s_bitcmp0_b32", [](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; }),
      reference<bool(u32, u32)>("s_bitcmp1_b32", [](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; }),
      reference<bool(u64, u32)>("s_bitcmp0_b64", [](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; }),
      reference<bool(u64, u32)>("s_bitcmp1_b64", [](u64 a, u32 b) { return (a >> (b & 63) & 1) == 1; }),
      reference<i32(i32)>("s_movk_i32", [](i32 k) { return k; }),
      reference<i32(i32, carry, old<i32>)>("s_cmovk_i32",
                                           [](i32 k, carry c, old<i32> d) { return c.bit ? k : d.value; }),
      reference<with_carry<i32>(i32, old<i32>)>(
          "s_addk_i32", [](i32 k, old<i32> d) { return overflowing<i32>(__int128{k} + d.value); }),
      reference<u32(u32, old<u32>)>("s_mulk_i32", [](u32 k, old<u32> d) { return k * d.value; }),

      reference<u32(u32)>("s_mov_b32", [](u32 a) { return a; }),
      reference<u64(u64)>("s_mov_b64", [](u64 a) { return a; }),
      reference<u32(u32, carry, old<u32>)>("s_cmov_b32",
                                           [](u32 a, carry c, old<u32> d) { return c.bit ? a : d.value; }),
      reference<u64(u64, carry, old<u64>)>("s_cmov_b64",
                                           [](u64 a, carry c, old<u64> d) { return c.bit ? a : d.value; }),
      reference<nonzero<u32>(u32)>("s_not_b32", [](u32 a) { return tested(~a); }),
      reference<nonzero<u64>(u64)>("s_not_b64", [](u64 a) { return tested(~a); }),
      reference<nonzero<u32>(u32)>("s_wqm_b32", [](u32 a) { return tested(quads(a, true)); }),
      reference<nonzero<u64>(u64)>("s_wqm_b64", [](u64 a) { return tested(quads(a, true)); }),
      reference<nonzero<u32>(u32)>("s_quadmask_b32", [](u32 a) { return tested(quads(a, false)); }),
      reference<nonzero<u64>(u64)>("s_quadmask_b64", [](u64 a) { return tested(quads(a, false)); }),
      reference<u32(u32)>("s_brev_b32", [](u32 a) { return mirrored(a); }),
      reference<u64(u64)>("s_brev_b64", [](u64 a) { return mirrored(a); }),
      reference<nonzero<i32>(u32)>("s_bcnt0_i32_b32", [](u32 a) { return tested(count(a, false)); }),
      reference<nonzero<i32>(u64)>("s_bcnt0_i32_b64", [](u64 a) { return tested(count(a, false)); }),
      reference<nonzero<i32>(u32)>("s_bcnt1_i32_b32", [](u32 a) { return tested(count(a, true)); }),
      reference<nonzero<i32>(u64)>("s_bcnt1_i32_b64", [](u64 a) { return tested(count(a, true)); }),
      reference<i32(u32)>("s_ff0_i32_b32", [](u32 a) { return lowest(a, false); }),
      reference<i32(u64)>("s_ff0_i32_b64", [](u64 a) { return lowest(a, false); }),
      reference<i32(u32)>("s_ff1_i32_b32", [](u32 a) { return lowest(a, true); }),
      reference<i32(u64)>("s_ff1_i32_b64", [](u64 a) { return lowest(a, true); }),
      reference<i32(u32)>("s_flbit_i32_b32", [](u32 a) { return from_top(a); }),
      reference<i32(u64)>("s_flbit_i32_b64", [](u64 a) { return from_top(a); }),
      reference<i32(u32)>("s_flbit_i32", [](u32 a) { return from_top(i32(a) < 0 ? ~a : a); }),
      reference<i32(u64)>("s_flbit_i32_i64", [](u64 a) { return from_top(i64(a) < 0 ? ~a : a); }),
      reference<i32(u32)>("s_sext_i32_i8", [](u32 a) { return i32(static_cast<int8_t>(a)); }),
      reference<i32(u32)>("s_sext_i32_i16", [](u32 a) { return i32(i16(a)); }),
      reference<nonzero<u32>(i32)>("s_abs_i32", [](i32 a) { return tested(u32(a < 0 ? -i64{a} : i64{a})); }),
      reference<u32(u32, old<u32>)>("s_bitset0_b32",
                                    [](u32 a, old<u32> d) { return d.value & ~(1u << (a & 31)); }),
      reference<u64(u32, old<u64>)>("s_bitset0_b64",
                                    [](u32 a, old<u64> d) { return d.value & ~(u64{1} << (a & 63)); }),
      reference<u32(u32, old<u32>)>("s_bitset1_b32",
                                    [](u32 a, old<u32> d) { return d.value | 1u << (a & 31); }),
      reference<u64(u32, old<u64>)>("s_bitset1_b64",
                                    [](u32 a, old<u64> d) { return d.value | u64{1} << (a & 63); }),
      reference<u64(u32)>("s_bitreplicate_b64_b32", [](u32 a) { return doubled_bits(a); }),
  };
}

} // namespace fmha950::semantics
