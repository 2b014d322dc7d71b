// Logic, shifts, bit fields, counts (ISA guide 12, VOP1, VOP2, VOP3).
// Shift counts use their low 5 (4, 6) bits.

#include "emulator/isa/families.hpp"
#include "emulator/isa/valu.hpp"
#include "emulator/program/truth_table.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u32>;
using I = Lanes<i32>;

FMHA950_INLINE U shift_left(U count, U x) { return x << (count & 31u); }

// 64-bit shifts; `fill` is what comes in at the top of a right shift.
FMHA950_INLINE Pair shift_left(U count, Pair x) {
  const U low = shift_left(count, x.low), high = __builtin_elementwise_fshl(x.high, x.low, count & 31u);
  const auto across = (count & 32u) != 0u;
  return {across ? U(0u) : low, across ? low : high};
}
FMHA950_INLINE Pair shift_right(U count, Pair x, U fill) {
  const U low = __builtin_elementwise_fshr(x.high, x.low, count & 31u);
  const U high = __builtin_elementwise_fshr(fill, x.high, count & 31u);
  const auto across = (count & 32u) != 0u;
  return {across ? high : low, across ? fill : high};
}
FMHA950_INLINE U sign_of(U x) { return __builtin_bit_cast(U, __builtin_bit_cast(I, x) >> 31); }

FMHA950_INLINE U bit_field(U x, U offset, U width) {
  return x >> (offset & 31u) & ((1u << (width & 31u)) - 1u);
}
FMHA950_INLINE I signed_bit_field(I x, U offset, U width) {
  const U bits = width & 31u;
  const I unused = __builtin_bit_cast(I, (32u - bits) & 31u);
  const I field = x >> __builtin_bit_cast(I, offset & 31u);
  const I top = __builtin_bit_cast(I, __builtin_bit_cast(U, field) << __builtin_bit_cast(U, unused));
  return bits == 0u ? I(0) : top >> unused;
}

// Position of the first one (or -1), from the top and from the bottom; and of the first bit that differs from
// the sign (ISA guide, V_FFBH_I32: -1 when all are equal).
FMHA950_INLINE U find_high(U x) { return x == 0u ? U(~0u) : __builtin_elementwise_clzg(x, U(32u)); }
FMHA950_INLINE U find_low(U x) { return x == 0u ? U(~0u) : __builtin_elementwise_ctzg(x, U(32u)); }
FMHA950_INLINE U find_sign_change(I x) { return find_high(__builtin_bit_cast(U, x ^ (x >> 31))); }

FMHA950_INLINE U truth_table(const Instruction& in, U a, U b, U c) {
  const uint32_t bits = truth_table_of(in);
  const auto entry = [bits](int index) { return U(bits >> index & 1 ? ~0u : 0u); };
  const auto choose = [](U condition, U one, U zero)
                          __attribute__((always_inline)) { return (condition & one) | (~condition & zero); };
  const auto by_c = [&](int index)
                        __attribute__((always_inline)) { return choose(c, entry(index + 1), entry(index)); };
  return choose(a, choose(b, by_c(6), by_c(4)), choose(b, by_c(2), by_c(0)));
}
void bitop3_b32(Wave& wave, const Instruction& in) {
  const U result = with_sources<u32, u32, u32>(
      wave, in, [&in](U a, U b, U c) __attribute__((always_inline)) { return truth_table(in, a, b, c); });
  store<u32>(wave, in, result);
}
// op_sel picks the halves.
// The half that is not written stays (a guess, as for the other 16-bit VOP3 opcodes).
void bitop3_b16(Wave& wave, const Instruction& in) {
  const uint32_t op_sel = in.op_sel;
  const auto pick = [op_sel](int operand, U x) { return op_sel >> operand & 1 ? x >> 16 : x & 0xFFFFu; };
  const U result = with_sources<u32, u32, u32>(wave, in, [&](U a, U b, U c) __attribute__((always_inline)) {
    return truth_table(in, pick(0, a), pick(1, b), pick(2, c)) & 0xFFFFu;
  });
  const U before = load_lanes<u32>(wave.lanes(in.dst));
  store<u32>(wave, in, op_sel & 8 ? result << 16 | (before & 0xFFFFu) : result | (before & 0xFFFF0000u));
}

// The guide names the instruction without its table, which is that of the Vega guide (V_SCREEN_PARTITION_4SE_B32): entries 0
// to 255 as hexadecimal digits.
U screen_partition(U a) {
  static constexpr char entries[] = "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
                                    "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
                                    "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
                                    "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
  static_assert(sizeof entries == 257);
  U result;
  for (int lane = 0; lane < wave_lanes; ++lane) {
    const char digit = entries[a[lane] & 0xFF];
    result[lane] = static_cast<u32>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return result;
}

constexpr Row table[] = {
    by_bits(BitFunction::bit_not, valu<u32(u32)>("v_not_b32", [](U a) { return ~a; })),
    by_bits(BitFunction::bit_and, valu<u32(u32, u32)>("v_and_b32", [](U a, U b) { return a & b; })),
    by_bits(BitFunction::bit_or, valu<u32(u32, u32)>("v_or_b32", [](U a, U b) { return a | b; })),
    by_bits(BitFunction::bit_xor, valu<u32(u32, u32)>("v_xor_b32", [](U a, U b) { return a ^ b; })),
    by_bits(BitFunction::bit_xnor, valu<u32(u32, u32)>("v_xnor_b32", [](U a, U b) { return ~(a ^ b); })),
    by_bits(BitFunction::or3, valu<u32(u32, u32, u32)>("v_or3_b32", [](U a, U b, U c) { return a | b | c; })),
    by_bits(BitFunction::and_or,
            valu<u32(u32, u32, u32)>("v_and_or_b32", [](U a, U b, U c) { return (a & b) | c; })),
    by_bits(BitFunction::shift_or,
            valu<u32(u32, u32, u32)>("v_lshl_or_b32", [](U a, U b, U c) { return shift_left(b, a) | c; })),
    by_bits(BitFunction::truth_table,
            valu_row({"v_bitop3_b32", bitop3_b32}, valu_facts<u32, u32, u32, u32>())),
    valu_row({"v_bitop3_b16", bitop3_b16, {ConstantType::f16, ConstantType::f16, ConstantType::f16}},
             valu_facts<half<u16>, u16, u16, u16>()),

    by_bits(BitFunction::shift_left_back_32,
            valu<u32(u32, u32)>("v_lshlrev_b32", [](U a, U b) { return shift_left(a, b); })),
    by_bits(BitFunction::shift_right_back_32,
            valu<u32(u32, u32)>("v_lshrrev_b32", [](U a, U b) { return b >> (a & 31u); })),
    by_bits(
        BitFunction::shift_right_signed_back_32,
        valu<i32(u32, i32)>("v_ashrrev_i32", [](U a, I b) { return b >> __builtin_bit_cast(I, a & 31u); })),
    by_bits(BitFunction::shift_left_back_64,
            valu<pair(u32, pair)>("v_lshlrev_b64", [](U a, Pair b) { return shift_left(a, b); })),
    by_bits(BitFunction::shift_right_back_64,
            valu<pair(u32, pair)>("v_lshrrev_b64", [](U a, Pair b) { return shift_right(a, b, U(0u)); })),
    by_bits(BitFunction::shift_right_signed_back_64,
            valu<pair(u32, pair)>("v_ashrrev_i64",
                                  [](U a, Pair b) { return shift_right(a, b, sign_of(b.high)); })),
    by_bits(BitFunction::align_bits,
            valu<u32(u32, u32, u32)>(
                "v_alignbit_b32", [](U a, U b, U c) { return __builtin_elementwise_fshr(a, b, c & 31u); })),
    by_bits(BitFunction::align_bytes, valu<u32(u32, u32, u32)>("v_alignbyte_b32",
                                                               [](U a, U b, U c) {
                                                                 return __builtin_elementwise_fshr(
                                                                     a, b, (c & 3u) * 8u);
                                                               })),

    by_bits(BitFunction::field,
            valu<u32(u32, u32, u32)>("v_bfe_u32", [](U a, U b, U c) { return bit_field(a, b, c); })),
    by_bits(BitFunction::signed_field,
            valu<i32(i32, u32, u32)>("v_bfe_i32", [](I a, U b, U c) { return signed_bit_field(a, b, c); })),
    by_bits(BitFunction::insert,
            valu<u32(u32, u32, u32)>("v_bfi_b32", [](U a, U b, U c) { return (a & b) | (~a & c); })),
    valu<u32(u32, u32)>("v_bfm_b32", [](U a, U b) { return shift_left(b, (1u << (a & 31u)) - 1u); }),
    by_bits(BitFunction::reverse,
            valu<u32(u32)>("v_bfrev_b32", [](U a) { return __builtin_elementwise_bitreverse(a); })),
    valu<u32(u32)>("v_screen_partition_4se_b32", [](U a) { return screen_partition(a); }),
    valu<u32(u32)>("v_ffbh_u32", [](U a) { return find_high(a); }),
    valu<u32(u32)>("v_ffbl_b32", [](U a) { return find_low(a); }),
    valu<u32(i32)>("v_ffbh_i32", [](I a) { return find_sign_change(a); }),
    valu<u32(u32, u32)>("v_bcnt_u32_b32", [](U a, U b) { return __builtin_elementwise_popcount(a) + b; }),
    // mfma_gfx950.md section 4.3: one step of the LFSR.
    valu<u32(u32)>("v_prng_b32", [](U a) { return a << 1 ^ (a >> 31 != 0u ? U(0xC5u) : U(0u)); }),
};

} // namespace

const Rows rows_valu_bits = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
