// Scalar ALU: SOP2, SOPC and SOPK (ISA guide chapter 5 and 12.1-12.4).
#include "emulator/isa/salu.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class T> T bit_field_mask(u32 width, u32 offset) {
  return static_cast<T>(((T{1} << (width & (sizeof(T) * 8 - 1))) - 1) << (offset & (sizeof(T) * 8 - 1)));
}
// Bit field extract: offset in the low bits, width in [22:16], sign-extended for signed T.
template <class T> T bit_field_extract(T value, u32 control) {
  constexpr int bits = sizeof(T) * 8;
  const u32 offset = control & (bits - 1), width = control >> 16 & 0x7F;
  if (width == 0) return 0;
  const T shifted = value >> offset;
  if (width + offset >= bits) return shifted; // the field reaches the top bit
  return static_cast<T>(shifted << (bits - width)) >> (bits - width);
}
template <class T> T overflowing_add(Wave& w, T a, T b) {
  T sum;
  w.scc = __builtin_add_overflow(a, b, &sum);
  return sum;
}
template <class T> T overflowing_sub(Wave& w, T a, T b) {
  T difference;
  w.scc = __builtin_sub_overflow(a, b, &difference);
  return difference;
}
template <int shift> u32 shift_add(Wave& w, u32 a, u32 b) {
  const u64 sum = (static_cast<u64>(a) << shift) + b;
  w.scc = sum >> 32 != 0;
  return static_cast<u32>(sum);
}

constexpr Row rows[] = {
    computes(
        Arithmetic::add_unsigned,
        binary<u32, u32, u32>("s_add_u32", [](Wave& w, u32 a, u32 b) { return overflowing_add(w, a, b); })),
    computes(
        Arithmetic::subtract_unsigned,
        binary<u32, u32, u32>("s_sub_u32", [](Wave& w, u32 a, u32 b) { return overflowing_sub(w, a, b); })),
    computes(
        Arithmetic::add,
        binary<u32, i32, i32>("s_add_i32", [](Wave& w, i32 a, i32 b) { return overflowing_add(w, a, b); })),
    computes(
        Arithmetic::subtract,
        binary<u32, i32, i32>("s_sub_i32", [](Wave& w, i32 a, i32 b) { return overflowing_sub(w, a, b); })),
    computes(Arithmetic::add_carry, binary<u32, u32, u32>("s_addc_u32",
                                                          [](Wave& w, u32 a, u32 b) {
                                                            const u64 sum = static_cast<u64>(a) + b + w.scc;
                                                            w.scc = sum >> 32 != 0;
                                                            return sum;
                                                          })),
    computes(Arithmetic::other, binary<u32, u32, u32>("s_subb_u32",
                                                      [](Wave& w, u32 a, u32 b) {
                                                        const u64 difference =
                                                            static_cast<u64>(a) - b - w.scc;
                                                        w.scc = difference >> 63;
                                                        return difference;
                                                      })),
    computes(
        Arithmetic::minimum,
        binary<u32, i32, i32>("s_min_i32", [](Wave& w, i32 a, i32 b) { return (w.scc = a < b) ? a : b; })),
    computes(
        Arithmetic::other,
        binary<u32, u32, u32>("s_min_u32", [](Wave& w, u32 a, u32 b) { return (w.scc = a < b) ? a : b; })),
    computes(
        Arithmetic::other,
        binary<u32, i32, i32>("s_max_i32", [](Wave& w, i32 a, i32 b) { return (w.scc = a > b) ? a : b; })),
    computes(
        Arithmetic::other,
        binary<u32, u32, u32>("s_max_u32", [](Wave& w, u32 a, u32 b) { return (w.scc = a > b) ? a : b; })),
    by_bits(BitFunction::select,
            binary<u32, u32, u32>("s_cselect_b32", [](Wave& w, u32 a, u32 b) { return w.scc ? a : b; })),
    by_bits(BitFunction::select,
            binary<u64, u64, u64>("s_cselect_b64", [](Wave& w, u64 a, u64 b) { return w.scc ? a : b; })),
    by_bits(BitFunction::bit_and,
            binary<u32, u32, u32, nonzero>("s_and_b32", [](Wave&, u32 a, u32 b) { return a & b; })),
    by_bits(BitFunction::bit_and,
            binary<u64, u64, u64, nonzero>("s_and_b64", [](Wave&, u64 a, u64 b) { return a & b; })),
    by_bits(BitFunction::bit_or,
            binary<u32, u32, u32, nonzero>("s_or_b32", [](Wave&, u32 a, u32 b) { return a | b; })),
    by_bits(BitFunction::bit_or,
            binary<u64, u64, u64, nonzero>("s_or_b64", [](Wave&, u64 a, u64 b) { return a | b; })),
    by_bits(BitFunction::bit_xor,
            binary<u32, u32, u32, nonzero>("s_xor_b32", [](Wave&, u32 a, u32 b) { return a ^ b; })),
    by_bits(BitFunction::bit_xor,
            binary<u64, u64, u64, nonzero>("s_xor_b64", [](Wave&, u64 a, u64 b) { return a ^ b; })),
    by_bits(BitFunction::and_not,
            binary<u32, u32, u32, nonzero>("s_andn2_b32", [](Wave&, u32 a, u32 b) { return a & ~b; })),
    by_bits(BitFunction::and_not,
            binary<u64, u64, u64, nonzero>("s_andn2_b64", [](Wave&, u64 a, u64 b) { return a & ~b; })),
    by_bits(BitFunction::or_not,
            binary<u32, u32, u32, nonzero>("s_orn2_b32", [](Wave&, u32 a, u32 b) { return a | ~b; })),
    by_bits(BitFunction::or_not,
            binary<u64, u64, u64, nonzero>("s_orn2_b64", [](Wave&, u64 a, u64 b) { return a | ~b; })),
    by_bits(BitFunction::bit_nand,
            binary<u32, u32, u32, nonzero>("s_nand_b32", [](Wave&, u32 a, u32 b) { return ~(a & b); })),
    by_bits(BitFunction::bit_nand,
            binary<u64, u64, u64, nonzero>("s_nand_b64", [](Wave&, u64 a, u64 b) { return ~(a & b); })),
    by_bits(BitFunction::bit_nor,
            binary<u32, u32, u32, nonzero>("s_nor_b32", [](Wave&, u32 a, u32 b) { return ~(a | b); })),
    by_bits(BitFunction::bit_nor,
            binary<u64, u64, u64, nonzero>("s_nor_b64", [](Wave&, u64 a, u64 b) { return ~(a | b); })),
    by_bits(BitFunction::bit_xnor,
            binary<u32, u32, u32, nonzero>("s_xnor_b32", [](Wave&, u32 a, u32 b) { return ~(a ^ b); })),
    by_bits(BitFunction::bit_xnor,
            binary<u64, u64, u64, nonzero>("s_xnor_b64", [](Wave&, u64 a, u64 b) { return ~(a ^ b); })),
    by_bits(BitFunction::shift_left_32,
            binary<u32, u32, u32, nonzero>("s_lshl_b32", [](Wave&, u32 a, u32 b) { return a << (b & 31); })),
    by_bits(BitFunction::shift_left_64,
            binary<u64, u64, u32, nonzero>("s_lshl_b64", [](Wave&, u64 a, u32 b) { return a << (b & 63); })),
    by_bits(BitFunction::shift_right_32,
            binary<u32, u32, u32, nonzero>("s_lshr_b32", [](Wave&, u32 a, u32 b) { return a >> (b & 31); })),
    by_bits(BitFunction::shift_right_64,
            binary<u64, u64, u32, nonzero>("s_lshr_b64", [](Wave&, u64 a, u32 b) { return a >> (b & 63); })),
    by_bits(BitFunction::shift_right_signed_32,
            binary<u32, i32, u32, nonzero>("s_ashr_i32", [](Wave&, i32 a, u32 b) { return a >> (b & 31); })),
    by_bits(BitFunction::shift_right_signed_64,
            binary<u64, i64, u32, nonzero>("s_ashr_i64", [](Wave&, i64 a, u32 b) { return a >> (b & 63); })),
    computes(
        Arithmetic::other,
        binary<u32, u32, u32>("s_bfm_b32", [](Wave&, u32 a, u32 b) { return bit_field_mask<u32>(a, b); })),
    computes(
        Arithmetic::other,
        binary<u64, u32, u32>("s_bfm_b64", [](Wave&, u32 a, u32 b) { return bit_field_mask<u64>(a, b); })),
    computes(Arithmetic::multiply,
             binary<u32, u32, u32>("s_mul_i32", [](Wave&, u32 a, u32 b) { return a * b; })),
    computes(Arithmetic::multiply,
             binary<u32, u32, u32>("s_mul_hi_u32",
                                   [](Wave&, u32 a, u32 b) { return static_cast<u64>(a) * b >> 32; })),
    computes(Arithmetic::multiply,
             binary<u32, i32, i32>("s_mul_hi_i32",
                                   [](Wave&, i32 a, i32 b) { return static_cast<i64>(a) * b >> 32; })),
    computes(Arithmetic::field,
             binary<u32, u32, u32, nonzero>("s_bfe_u32",
                                            [](Wave&, u32 a, u32 b) { return bit_field_extract(a, b); })),
    computes(Arithmetic::other,
             binary<u32, i32, u32, nonzero>("s_bfe_i32",
                                            [](Wave&, i32 a, u32 b) { return bit_field_extract(a, b); })),
    computes(Arithmetic::other,
             binary<u64, u64, u32, nonzero>("s_bfe_u64",
                                            [](Wave&, u64 a, u32 b) { return bit_field_extract(a, b); })),
    computes(Arithmetic::other,
             binary<u64, i64, u32, nonzero>("s_bfe_i64",
                                            [](Wave&, i64 a, u32 b) { return bit_field_extract(a, b); })),
    computes(Arithmetic::other, binary<u32, u32, u32, nonzero>("s_absdiff_i32",
                                                               [](Wave&, u32 a, u32 b) {
                                                                 const u32 difference = a - b;
                                                                 return static_cast<i32>(difference) < 0
                                                                            ? 0 - difference
                                                                            : difference;
                                                               })),
    computes(Arithmetic::other,
             binary<u32, u32, u32>("s_lshl1_add_u32",
                                   [](Wave& w, u32 a, u32 b) { return shift_add<1>(w, a, b); })),
    computes(Arithmetic::other,
             binary<u32, u32, u32>("s_lshl2_add_u32",
                                   [](Wave& w, u32 a, u32 b) { return shift_add<2>(w, a, b); })),
    computes(Arithmetic::other,
             binary<u32, u32, u32>("s_lshl3_add_u32",
                                   [](Wave& w, u32 a, u32 b) { return shift_add<3>(w, a, b); })),
    computes(Arithmetic::other,
             binary<u32, u32, u32>("s_lshl4_add_u32",
                                   [](Wave& w, u32 a, u32 b) { return shift_add<4>(w, a, b); })),
    by_bits(BitFunction::pack_low_low,
            binary<u32, u32, u32>("s_pack_ll_b32_b16",
                                  [](Wave&, u32 a, u32 b) { return (a & 0xFFFF) | b << 16; })),
    by_bits(BitFunction::pack_low_high,
            binary<u32, u32, u32>("s_pack_lh_b32_b16",
                                  [](Wave&, u32 a, u32 b) { return (a & 0xFFFF) | (b & 0xFFFF0000); })),
    by_bits(BitFunction::pack_high_high,
            binary<u32, u32, u32>("s_pack_hh_b32_b16",
                                  [](Wave&, u32 a, u32 b) { return a >> 16 | (b & 0xFFFF0000); })),

    compare<i32>("s_cmp_eq_i32", Relation::equal, [](i32 a, i32 b) { return a == b; }),
    compare<i32>("s_cmp_lg_i32", Relation::different, [](i32 a, i32 b) { return a != b; }),
    compare<i32>("s_cmp_gt_i32", Relation::greater, [](i32 a, i32 b) { return a > b; }),
    compare<i32>("s_cmp_ge_i32", Relation::at_least, [](i32 a, i32 b) { return a >= b; }),
    compare<i32>("s_cmp_lt_i32", Relation::less, [](i32 a, i32 b) { return a < b; }),
    compare<i32>("s_cmp_le_i32", Relation::at_most, [](i32 a, i32 b) { return a <= b; }),
    compare<u32>("s_cmp_eq_u32", Relation::equal, [](u32 a, u32 b) { return a == b; }),
    compare<u32>("s_cmp_lg_u32", Relation::different, [](u32 a, u32 b) { return a != b; }),
    compare<u32>("s_cmp_gt_u32", Relation::greater, [](u32 a, u32 b) { return a > b; }),
    compare<u32>("s_cmp_ge_u32", Relation::at_least, [](u32 a, u32 b) { return a >= b; }),
    compare<u32>("s_cmp_lt_u32", Relation::less, [](u32 a, u32 b) { return a < b; }),
    compare<u32>("s_cmp_le_u32", Relation::at_most, [](u32 a, u32 b) { return a <= b; }),
    compare<u64>("s_cmp_eq_u64", Relation::equal, [](u64 a, u64 b) { return a == b; }),
    compare<u64>("s_cmp_lg_u64", Relation::different, [](u64 a, u64 b) { return a != b; }),
    compare<u32>("s_bitcmp0_b32", Relation::bit_zero, [](u32 a, u32 b) { return !(a >> (b & 31) & 1); }),
    compare<u32>("s_bitcmp1_b32", Relation::bit_one, [](u32 a, u32 b) { return a >> (b & 31) & 1; }),
    compare<u64, u32>("s_bitcmp0_b64", Relation::bit_zero, [](u64 a, u32 b) { return !(a >> (b & 63) & 1); }),
    compare<u64, u32>("s_bitcmp1_b64", Relation::bit_one, [](u64 a, u32 b) { return a >> (b & 63) & 1; }),

    by_bits(BitFunction::constant, immediate<i32>("s_movk_i32", [](Wave&, i32, i32 k) { return k; })),
    by_bits(BitFunction::constant_if,
            in_role(ScalarRole::updates,
                    immediate<i32>("s_cmovk_i32", [](Wave& w, i32 old, i32 k) { return w.scc ? k : old; }))),
    computes(Arithmetic::add, immediate<i32>("s_addk_i32", [](Wave& w, i32 old,
                                                              i32 k) { return overflowing_add(w, old, k); })),
    computes(Arithmetic::multiply,
             immediate<u32>("s_mulk_i32", [](Wave&, u32 old, u32 k) { return old * k; })),
    compare_immediate<i32>("s_cmpk_eq_i32", Relation::equal, [](i32 a, i32 k) { return a == k; }),
    compare_immediate<i32>("s_cmpk_lg_i32", Relation::different, [](i32 a, i32 k) { return a != k; }),
    compare_immediate<i32>("s_cmpk_gt_i32", Relation::greater, [](i32 a, i32 k) { return a > k; }),
    compare_immediate<i32>("s_cmpk_ge_i32", Relation::at_least, [](i32 a, i32 k) { return a >= k; }),
    compare_immediate<i32>("s_cmpk_lt_i32", Relation::less, [](i32 a, i32 k) { return a < k; }),
    compare_immediate<i32>("s_cmpk_le_i32", Relation::at_most, [](i32 a, i32 k) { return a <= k; }),
    compare_immediate<u32>("s_cmpk_eq_u32", Relation::equal, [](u32 a, u32 k) { return a == k; }),
    compare_immediate<u32>("s_cmpk_lg_u32", Relation::different, [](u32 a, u32 k) { return a != k; }),
    compare_immediate<u32>("s_cmpk_gt_u32", Relation::greater, [](u32 a, u32 k) { return a > k; }),
    compare_immediate<u32>("s_cmpk_ge_u32", Relation::at_least, [](u32 a, u32 k) { return a >= k; }),
    compare_immediate<u32>("s_cmpk_lt_u32", Relation::less, [](u32 a, u32 k) { return a < k; }),
    compare_immediate<u32>("s_cmpk_le_u32", Relation::at_most, [](u32 a, u32 k) { return a <= k; }),
};

} // namespace
const Rows rows_salu = rows_of<rows, all_scalar>();
} // namespace fmha950::isa::FMHA950_SIMD
