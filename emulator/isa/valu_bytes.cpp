// Bytes within registers: permutation, sums of absolute differences, packing with saturation
// (ISA guide 12, VOP3).

#include "emulator/isa/families.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u32>;
using I = Lanes<i32>;
using U2 = Lanes<u64>;

FMHA950_INLINE U byte_of(U x, int index) { return x >> (8 * index) & 0xFFu; }
FMHA950_INLINE U difference(U a, U b) { return a > b ? a - b : b - a; }

// v_sad_u8; `masked` (v_msad_u8) leaves out bytes whose reference, b, is zero.
template <bool masked> FMHA950_INLINE U sum_of_differences(U a, U b, U sum) {
  for (int i = 0; i < 4; ++i) {
    const U reference = byte_of(b, i), term = difference(byte_of(a, i), reference);
    sum += masked ? (reference == 0u ? U(0u) : term) : term;
  }
  return sum;
}
// Bytes i..i+3 of an 8-byte array.
FMHA950_INLINE U slice(U2 bytes, int i) { return __builtin_convertvector(bytes >> (8 * i), U); }
template <bool masked> FMHA950_INLINE U2 four_sums(U2 a, U b, U2 addends) {
  U2 packed = 0;
  for (int i = 0; i < 4; ++i) {
    const U addend = __builtin_convertvector(addends >> (16 * i) & 0xFFFFull, U);
    const U sum = sum_of_differences<masked>(slice(a, i), b, addend) & 0xFFFFu;
    packed |= __builtin_convertvector(sum, U2) << (16 * i);
  }
  return packed;
}
// v_mqsad_u32_u8: addends and results are four registers each.
void mqsad_u32_u8(Wave& wave, const Instruction& in) {
  Scratch first, second;
  const U2 a = read_vgpr<u64>(locate<u64>(wave, in, 0, first));
  const U b = read_vgpr<u32>(locate<u32>(wave, in, 1, second));
  U sums[4];
  for (int i = 0; i < 4; ++i) {
    const Source& source = in.src[2];
    const U addend = source.kind == Source::Kind::vgpr ? load_lanes<u32>(wave.lanes(source.index + i))
                     : source.kind == Source::Kind::sgpr
                         ? U(wave.sgpr[source.index + i])
                         : U(static_cast<u32>(i < 2 ? source.value >> (32 * i) : 0));
    sums[i] = sum_of_differences<true>(slice(a, i), b, addend);
  }
  for (int i = 0; i < 4; ++i) write_vgpr<u32>(wave.lanes(in.dst + i), sums[i], wave.exec());
}

// Average of bytes; the low bit of each of c's bytes says whether a half rounds up.
FMHA950_INLINE U average(U a, U b, U c) {
  U packed = 0;
  for (int i = 0; i < 4; ++i)
    packed |= (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1u)) >> 1 << (8 * i);
  return packed;
}

// Selector bytes 0..7 pick a byte of {a, b}, 8..11 the sign of its bytes 1, 3, 5, 7, 12 is 0x00, 13 and above
// 0xFF (ISA guide, V_PERM_B32).
FMHA950_INLINE U permute(U a, U b, U selectors) {
  const bool plain = lanes_true((selectors & 0xF8F8F8F8u) != 0u) == 0;
  U packed = 0;
  for (int i = 0; i < 4; ++i) {
    const U selector = byte_of(selectors, i);
    U value = ((selector & 4u) != 0u ? a : b) >> ((selector & 3u) * 8u) & 0xFFu;
    if (!plain) {
      const U word = (selector & 2u) != 0u ? a : b;
      const U sign = (word >> ((selector & 1u) * 16u + 15u) & 1u) * 0xFFu;
      value = selector >= 8u ? sign : value;
      value = selector == 12u ? U(0u) : value;
      value = selector >= 13u ? U(0xFFu) : value;
    }
    packed |= value << (8 * i);
  }
  return packed;
}

FMHA950_INLINE U limited(I x, int low, int high) {
  const I below = x > high ? I(high) : x;
  return __builtin_bit_cast(U, below < low ? I(low) : below) & 0xFFu;
}
FMHA950_INLINE Lanes<u16> shifted_and_packed(I a, I b, U count, int low, int high) {
  const I shift = __builtin_bit_cast(I, count & 31u);
  return __builtin_convertvector(limited(a >> shift, low, high) | limited(b >> shift, low, high) << 8,
                                 Lanes<u16>);
}
FMHA950_INLINE Lanes<u16> packed_words(U x) {
  const auto word = [](U bits)
                        __attribute__((always_inline)) { return __builtin_bit_cast(I, bits << 16) >> 16; };
  return __builtin_convertvector(limited(word(x), 0, 255) | limited(word(x >> 16), 0, 255) << 8, Lanes<u16>);
}

constexpr Row four_words(Row row) {
  ValuFacts facts = whole_registers(ValuClass::plain, ValuFlow::together);
  facts.writes = all_bytes;
  facts.widest = 4;
  return valu_row(row, facts);
}

constexpr Row table[] = {
    by_bits(BitFunction::permute_bytes,
            valu<u32(u32, u32, u32)>("v_perm_b32", [](U a, U b, U c) { return permute(a, b, c); })),
    valu<u32(u32, u32, u32)>("v_lerp_u8", [](U a, U b, U c) { return average(a, b, c); }),
    valu<u32(u32, u32, u32)>("v_sad_u8", [](U a, U b, U c) { return sum_of_differences<false>(a, b, c); }),
    valu<u32(u32, u32, u32)>("v_msad_u8", [](U a, U b, U c) { return sum_of_differences<true>(a, b, c); }),
    valu<u32(u32, u32, u32)>(
        "v_sad_hi_u8", [](U a, U b, U c) { return (sum_of_differences<false>(a, b, U(0u)) << 16) + c; }),
    valu<u32(u32, u32, u32)>("v_sad_u16",
                             [](U a, U b, U c) {
                               return difference(a & 0xFFFFu, b & 0xFFFFu) + difference(a >> 16, b >> 16) + c;
                             }),
    valu<u32(u32, u32, u32)>("v_sad_u32", [](U a, U b, U c) { return difference(a, b) + c; }),
    valu<u64(u64, u32, u64)>("v_qsad_pk_u16_u8", [](U2 a, U b, U2 c) { return four_sums<false>(a, b, c); }),
    valu<u64(u64, u32, u64)>("v_mqsad_pk_u16_u8", [](U2 a, U b, U2 c) { return four_sums<true>(a, b, c); }),
    four_words({"v_mqsad_u32_u8", mqsad_u32_u8, {ConstantType::i64, ConstantType::b32, ConstantType::i64}}),
    valu<u16(u32)>("v_sat_pk_u8_i16", [](U a) { return packed_words(a); }),
    // Not in the public guide: two values shifted right by the third source, saturated to bytes, packed into
    // a half that op_sel picks (LLVM's int_amdgcn_ashr_pk_i8_i32).
    valu<half<u16>(i32, i32, u32)>("v_ashr_pk_i8_i32",
                                   [](I a, I b, U c) { return shifted_and_packed(a, b, c, -128, 127); }),
    valu<half<u16>(i32, i32, u32)>("v_ashr_pk_u8_i32",
                                   [](I a, I b, U c) { return shifted_and_packed(a, b, c, 0, 255); }),
};

} // namespace

const Rows rows_valu_bytes = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
