// Rules that look at values: bitwise operations, shifts, sums, byte permutations. Each is the instruction's
// definition (ISA guide 12; the bodies in emulator/isa) on Bits.

#include "emulator/isa/mnemonic.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"

#include <algorithm>
#include <string_view>

namespace fmha950::observe {
namespace {

using S = const BitsSources&;

Bits count5(Bits x) { return x & known(31); }
Bits count6(Bits x) { return x & known(63); }
Bits rotated_pair(Bits high, Bits low, Bits count) { return (high << known(32) | low) >> count; }

Bits field(Bits x, Bits offset, Bits width) {
  if (!width.low(5).is_valid()) return Bits::unknown();
  return (x >> count5(offset)) & known((uint64_t{1} << (width.value & 31)) - 1);
}
Bits signed_field(Bits x, Bits offset, Bits width) {
  const int bits = static_cast<int>(width.value & 31);
  const Bits part = field(x.sign_extended(32), offset, width);
  return bits == 0 || part.invalid == ~uint64_t{0} ? part : part.sign_extended(bits);
}

Bits reversed(Bits x) {
  const auto reverse = [](uint64_t bits) {
    uint64_t result = 0;
    for (int i = 0; i < 32; ++i) result |= (bits >> i & 1) << (31 - i);
    return result;
  };
  return {reverse(x.value), reverse(x.invalid)};
}

// A truth table of three inputs: a result bit is unknown when some way to fill in the unknown inputs changes
// it. The table is in the fields of omod, abs and neg (ISA guide, V_BITOP3_B32).
Bits truth_table(S x) {
  const uint32_t w0 = x.in.words[0], w1 = x.in.words[1];
  const uint32_t table = (w1 >> 27 & 3) << 6 | (w0 >> 8 & 7) << 3 | w1 >> 29;
  const auto evaluate = [&](const uint64_t (&v)[3]) {
    uint64_t result = 0;
    for (int entry = 0; entry < 8; ++entry)
      if (table >> entry & 1)
        result |= (entry & 4 ? v[0] : ~v[0]) & (entry & 2 ? v[1] : ~v[1]) & (entry & 1 ? v[2] : ~v[2]);
    return result;
  };
  const Bits(&s)[3] = x.s;
  const uint64_t value = evaluate({s[0].value, s[1].value, s[2].value});
  uint64_t differs = 0;
  for (int flip = 1; flip < 8; ++flip) {
    uint64_t v[3];
    for (int i = 0; i < 3; ++i) v[i] = flip >> i & 1 ? s[i].value ^ s[i].invalid : s[i].value;
    differs |= evaluate(v) ^ value;
  }
  return {value, differs};
}

// Selector bytes 0..7 pick a byte of {a, b}, 8..11 a sign, 12 is 0x00, 13 and above 0xFF
// (ISA guide, V_PERM_B32).
Bits permuted(S x) {
  const Bits pair = x.s[0] << known(32) | x.s[1].low(32);
  Bits result;
  for (int i = 0; i < 4; ++i) {
    const Bits selector = x.s[2] >> known(8 * i) & known(0xFF);
    Bits byte = known(selector.value == 12 ? 0 : 0xFF);
    if (!selector.is_valid())
      byte = Bits::unknown().low(8);
    else if (selector.value < 8)
      byte = pair >> known(8 * selector.value) & known(0xFF);
    else if (selector.value < 12)
      byte = (pair >> known(16 * (selector.value - 8) + 15)).sign_extended(1).low(8);
    result = result | byte << known(8 * i);
  }
  return result;
}

// Bits of a mask in the lanes below, plus the addend.
template <int first_lane> Bits count_below(S x) {
  const int bits = std::clamp(x.lane - first_lane, 0, 32);
  const Bits counted = x.s[0].low(bits == 0 ? 1 : bits);
  if (bits > 0 && !counted.is_valid()) return Bits::unknown();
  return x.s[1] + known(0);
}

struct Entry {
  const char* mnemonic;
  BitsRule rule;
};
constexpr Entry table[] = {
    {"v_not_b32", [](S x) { return ~x.s[0]; }},
    {"v_and_b32", [](S x) { return x.s[0] & x.s[1]; }},
    {"v_or_b32", [](S x) { return x.s[0] | x.s[1]; }},
    {"v_xor_b32", [](S x) { return x.s[0] ^ x.s[1]; }},
    {"v_xnor_b32", [](S x) { return ~(x.s[0] ^ x.s[1]); }},
    {"v_or3_b32", [](S x) { return x.s[0] | x.s[1] | x.s[2]; }},
    {"v_and_or_b32", [](S x) { return (x.s[0] & x.s[1]) | x.s[2]; }},
    {"v_bfi_b32", [](S x) { return (x.s[0] & x.s[1]) | (~x.s[0] & x.s[2]); }},
    {"v_bitop3_b32", truth_table},
    {"v_perm_b32", permuted},

    {"v_lshlrev_b32", [](S x) { return x.s[1] << count5(x.s[0]); }},
    {"v_lshrrev_b32", [](S x) { return x.s[1] >> count5(x.s[0]); }},
    {"v_ashrrev_i32", [](S x) { return shifted_right_signed(x.s[1].sign_extended(32), count5(x.s[0])); }},
    {"v_lshlrev_b64", [](S x) { return x.s[1] << count6(x.s[0]); }},
    {"v_lshrrev_b64", [](S x) { return x.s[1] >> count6(x.s[0]); }},
    {"v_ashrrev_i64", [](S x) { return shifted_right_signed(x.s[1], count6(x.s[0])); }},
    {"v_lshl_or_b32", [](S x) { return x.s[0] << count5(x.s[1]) | x.s[2]; }},
    {"v_alignbit_b32", [](S x) { return rotated_pair(x.s[0], x.s[1], count5(x.s[2])); }},
    {"v_alignbyte_b32", [](S x) { return rotated_pair(x.s[0], x.s[1], (x.s[2] & known(3)) << known(3)); }},
    {"v_bfe_u32", [](S x) { return field(x.s[0], x.s[1], x.s[2]); }},
    {"v_bfe_i32", [](S x) { return signed_field(x.s[0], x.s[1], x.s[2]); }},
    {"v_bfrev_b32", [](S x) { return reversed(x.s[0]); }},

    {"v_add_u32", [](S x) { return x.s[0] + x.s[1]; }},
    {"v_sub_u32", [](S x) { return x.s[0] - x.s[1]; }},
    {"v_subrev_u32", [](S x) { return x.s[1] - x.s[0]; }},
    {"v_add3_u32", [](S x) { return x.s[0] + x.s[1] + x.s[2]; }},
    {"v_lshl_add_u32", [](S x) { return (x.s[0] << count5(x.s[1])) + x.s[2]; }},
    {"v_add_lshl_u32", [](S x) { return (x.s[0] + x.s[1]) << count5(x.s[2]); }},
    {"v_lshl_add_u64", [](S x) { return (x.s[0] << (x.s[1] & known(7))) + x.s[2]; }},
    {"v_xad_u32", [](S x) { return (x.s[0] ^ x.s[1]) + x.s[2]; }},
    {"v_mul_lo_u32", [](S x) { return x.s[0] * x.s[1]; }},
    {"v_mbcnt_lo_u32_b32", count_below<0>},
    {"v_mbcnt_hi_u32_b32", count_below<32>},
};

using C = const ScalarSources&;
constexpr bool sets_scc = true;

constexpr ScalarRule scalar_table[] = {
    {"s_mov_b32", [](C x) { return x.s[0]; }},
    {"s_mov_b64", [](C x) { return x.s[0]; }},
    {"s_movk_i32", [](C) { return known(0); }},
    {"s_not_b32", [](C x) { return ~x.s[0]; }, sets_scc},
    {"s_not_b64", [](C x) { return ~x.s[0]; }, sets_scc},
    {"s_and_b32", [](C x) { return x.s[0] & x.s[1]; }, sets_scc},
    {"s_and_b64", [](C x) { return x.s[0] & x.s[1]; }, sets_scc},
    {"s_or_b32", [](C x) { return x.s[0] | x.s[1]; }, sets_scc},
    {"s_or_b64", [](C x) { return x.s[0] | x.s[1]; }, sets_scc},
    {"s_xor_b32", [](C x) { return x.s[0] ^ x.s[1]; }, sets_scc},
    {"s_xor_b64", [](C x) { return x.s[0] ^ x.s[1]; }, sets_scc},
    {"s_andn2_b32", [](C x) { return x.s[0] & ~x.s[1]; }, sets_scc},
    {"s_andn2_b64", [](C x) { return x.s[0] & ~x.s[1]; }, sets_scc},
    {"s_orn2_b32", [](C x) { return x.s[0] | ~x.s[1]; }, sets_scc},
    {"s_orn2_b64", [](C x) { return x.s[0] | ~x.s[1]; }, sets_scc},
    {"s_nand_b32", [](C x) { return ~(x.s[0] & x.s[1]); }, sets_scc},
    {"s_nand_b64", [](C x) { return ~(x.s[0] & x.s[1]); }, sets_scc},
    {"s_nor_b32", [](C x) { return ~(x.s[0] | x.s[1]); }, sets_scc},
    {"s_nor_b64", [](C x) { return ~(x.s[0] | x.s[1]); }, sets_scc},
    {"s_xnor_b32", [](C x) { return ~(x.s[0] ^ x.s[1]); }, sets_scc},
    {"s_xnor_b64", [](C x) { return ~(x.s[0] ^ x.s[1]); }, sets_scc},
    {"s_lshl_b32", [](C x) { return x.s[0] << count5(x.s[1]); }, sets_scc},
    {"s_lshl_b64", [](C x) { return x.s[0] << count6(x.s[1]); }, sets_scc},
    {"s_lshr_b32", [](C x) { return x.s[0] >> count5(x.s[1]); }, sets_scc},
    {"s_lshr_b64", [](C x) { return x.s[0] >> count6(x.s[1]); }, sets_scc},
    {"s_ashr_i32", [](C x) { return shifted_right_signed(x.s[0].sign_extended(32), count5(x.s[1])); },
     sets_scc},
    {"s_ashr_i64", [](C x) { return shifted_right_signed(x.s[0], count6(x.s[1])); }, sets_scc},
    {"s_pack_ll_b32_b16", [](C x) { return x.s[0].low(16) | x.s[1] << known(16); }},
    {"s_pack_lh_b32_b16", [](C x) { return x.s[0].low(16) | (x.s[1] & known(0xFFFF0000)); }},
    {"s_pack_hh_b32_b16", [](C x) { return x.s[0] >> known(16) | (x.s[1] & known(0xFFFF0000)); }},
    {"s_sext_i32_i8", [](C x) { return x.s[0].sign_extended(8); }},
    {"s_sext_i32_i16", [](C x) { return x.s[0].sign_extended(16); }},
    {"s_brev_b32", [](C x) { return reversed(x.s[0]); }},
    {"s_bitset0_b32", [](C x) { return x.old & ~(known(1) << count5(x.s[0])); }},
    {"s_bitset0_b64", [](C x) { return x.old & ~(known(1) << count6(x.s[0])); }},
    {"s_bitset1_b32", [](C x) { return x.old | known(1) << count5(x.s[0]); }},
    {"s_bitset1_b64", [](C x) { return x.old | known(1) << count6(x.s[0]); }},
    {"s_cselect_b32", [](C x) { return !x.scc.is_valid() ? Bits::unknown() : x.s[x.scc.value ? 0 : 1]; }},
    {"s_cselect_b64", [](C x) { return !x.scc.is_valid() ? Bits::unknown() : x.s[x.scc.value ? 0 : 1]; }},
    {"s_cmov_b32", [](C x) { return !x.scc.is_valid() ? Bits::unknown()
                                    : x.scc.value     ? x.s[0]
                                                      : x.old; }},
    {"s_cmov_b64", [](C x) { return !x.scc.is_valid() ? Bits::unknown()
                                    : x.scc.value     ? x.s[0]
                                                      : x.old; }},
    // The second source is EXEC.
    {"s_and_saveexec_b64", [](C x) { return x.s[0] & x.s[1]; }},
    {"s_or_saveexec_b64", [](C x) { return x.s[0] | x.s[1]; }},
    {"s_xor_saveexec_b64", [](C x) { return x.s[0] ^ x.s[1]; }},
    {"s_andn1_saveexec_b64", [](C x) { return ~x.s[0] & x.s[1]; }},
    {"s_andn2_saveexec_b64", [](C x) { return x.s[0] & ~x.s[1]; }},
    {"s_orn1_saveexec_b64", [](C x) { return ~x.s[0] | x.s[1]; }},
    {"s_orn2_saveexec_b64", [](C x) { return x.s[0] | ~x.s[1]; }},
    {"s_nand_saveexec_b64", [](C x) { return ~(x.s[0] & x.s[1]); }},
    {"s_nor_saveexec_b64", [](C x) { return ~(x.s[0] | x.s[1]); }},
    {"s_xnor_saveexec_b64", [](C x) { return ~(x.s[0] ^ x.s[1]); }},
    {"s_andn1_wrexec_b64", [](C x) { return ~x.s[0] & x.s[1]; }},
    {"s_andn2_wrexec_b64", [](C x) { return x.s[0] & ~x.s[1]; }},
    {"s_cmovk_i32", [](C x) { return !x.scc.is_valid() ? Bits::unknown()
                                     : x.scc.value     ? known(0)
                                                       : x.old; }},
};

template <class Row, size_t N> const Row* find(const Row (&rows)[N], const isa::Instruction& in) {
  const std::string_view mnemonic = isa::mnemonic_of(in);
  const Row* row = std::find_if(rows, rows + N, [&](const Row& r) { return mnemonic == r.mnemonic; });
  return row == rows + N ? nullptr : row;
}

} // namespace

BitsRule bits_rule_of(const isa::Instruction& in) {
  if (in.clamp || in.omod) return nullptr; // saturation: no bit is independent of the others
  const Entry* entry = find(table, in);
  return entry ? entry->rule : nullptr;
}
const ScalarRule* scalar_rule_of(const isa::Instruction& in) { return find(scalar_table, in); }

} // namespace fmha950::observe
