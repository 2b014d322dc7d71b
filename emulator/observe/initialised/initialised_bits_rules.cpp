// Rules that look at values: bitwise operations, shifts, sums, byte permutations. Each is the definition of a row's
// BitFunction (ISA guide 12; the bodies in emulator/isa) on Bits.

#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/program/row.hpp"
#include "emulator/program/truth_table.hpp"

#include <algorithm>

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

// A truth table of three inputs: a result bit is unknown when some way to fill in the
// unknown inputs changes it.
Bits truth_table(S x) {
  const uint32_t table = isa::truth_table_of(x.in);
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

Bits conditional(S x, Bits if_set, Bits if_clear) {
  return !x.scc.is_valid() ? Bits::unknown() : x.scc.value ? if_set : if_clear;
}

} // namespace

BitsRule bits_rule_of(const isa::Instruction& in) {
  using F = isa::BitFunction;
  if (in.clamp || in.omod) return nullptr; // saturation: no bit is independent of the others
  switch (in.row->bits) {
  case F::none: return nullptr;
  case F::copy: return [](S x) { return x.s[0]; };
  case F::constant: return [](S) { return known(0); };
  case F::bit_not: return [](S x) { return ~x.s[0]; };
  case F::bit_and: return [](S x) { return x.s[0] & x.s[1]; };
  case F::bit_or: return [](S x) { return x.s[0] | x.s[1]; };
  case F::bit_xor: return [](S x) { return x.s[0] ^ x.s[1]; };
  case F::bit_nand: return [](S x) { return ~(x.s[0] & x.s[1]); };
  case F::bit_nor: return [](S x) { return ~(x.s[0] | x.s[1]); };
  case F::bit_xnor: return [](S x) { return ~(x.s[0] ^ x.s[1]); };
  case F::and_not: return [](S x) { return x.s[0] & ~x.s[1]; };
  case F::or_not: return [](S x) { return x.s[0] | ~x.s[1]; };
  case F::not_and: return [](S x) { return ~x.s[0] & x.s[1]; };
  case F::not_or: return [](S x) { return ~x.s[0] | x.s[1]; };
  case F::or3: return [](S x) { return x.s[0] | x.s[1] | x.s[2]; };
  case F::and_or: return [](S x) { return (x.s[0] & x.s[1]) | x.s[2]; };
  case F::insert: return [](S x) { return (x.s[0] & x.s[1]) | (~x.s[0] & x.s[2]); };
  case F::truth_table: return truth_table;
  case F::permute_bytes: return permuted;
  case F::reverse: return [](S x) { return reversed(x.s[0]); };

  case F::shift_left_32: return [](S x) { return x.s[0] << count5(x.s[1]); };
  case F::shift_left_64: return [](S x) { return x.s[0] << count6(x.s[1]); };
  case F::shift_left_back_32: return [](S x) { return x.s[1] << count5(x.s[0]); };
  case F::shift_left_back_64: return [](S x) { return x.s[1] << count6(x.s[0]); };
  case F::shift_right_32: return [](S x) { return x.s[0] >> count5(x.s[1]); };
  case F::shift_right_64: return [](S x) { return x.s[0] >> count6(x.s[1]); };
  case F::shift_right_back_32: return [](S x) { return x.s[1] >> count5(x.s[0]); };
  case F::shift_right_back_64: return [](S x) { return x.s[1] >> count6(x.s[0]); };
  case F::shift_right_signed_32:
    return [](S x) { return shifted_right_signed(x.s[0].sign_extended(32), count5(x.s[1])); };
  case F::shift_right_signed_64: return [](S x) { return shifted_right_signed(x.s[0], count6(x.s[1])); };
  case F::shift_right_signed_back_32:
    return [](S x) { return shifted_right_signed(x.s[1].sign_extended(32), count5(x.s[0])); };
  case F::shift_right_signed_back_64: return [](S x) { return shifted_right_signed(x.s[1], count6(x.s[0])); };
  case F::shift_or: return [](S x) { return x.s[0] << count5(x.s[1]) | x.s[2]; };
  case F::align_bits: return [](S x) { return rotated_pair(x.s[0], x.s[1], count5(x.s[2])); };
  case F::align_bytes:
    return [](S x) { return rotated_pair(x.s[0], x.s[1], (x.s[2] & known(3)) << known(3)); };
  case F::field: return [](S x) { return field(x.s[0], x.s[1], x.s[2]); };
  case F::signed_field: return [](S x) { return signed_field(x.s[0], x.s[1], x.s[2]); };

  case F::add: return [](S x) { return x.s[0] + x.s[1]; };
  case F::subtract: return [](S x) { return x.s[0] - x.s[1]; };
  case F::subtract_back: return [](S x) { return x.s[1] - x.s[0]; };
  case F::add3: return [](S x) { return x.s[0] + x.s[1] + x.s[2]; };
  case F::shift_add_32: return [](S x) { return (x.s[0] << count5(x.s[1])) + x.s[2]; };
  case F::shift_add_64: return [](S x) { return (x.s[0] << (x.s[1] & known(7))) + x.s[2]; };
  case F::add_shift: return [](S x) { return (x.s[0] + x.s[1]) << count5(x.s[2]); };
  case F::xor_add: return [](S x) { return (x.s[0] ^ x.s[1]) + x.s[2]; };
  case F::multiply: return [](S x) { return x.s[0] * x.s[1]; };
  case F::count_below_low: return count_below<0>;
  case F::count_below_high: return count_below<32>;

  case F::pack_low_low: return [](S x) { return x.s[0].low(16) | x.s[1] << known(16); };
  case F::pack_low_high: return [](S x) { return x.s[0].low(16) | (x.s[1] & known(0xFFFF0000)); };
  case F::pack_high_high: return [](S x) { return x.s[0] >> known(16) | (x.s[1] & known(0xFFFF0000)); };
  case F::extend_8: return [](S x) { return x.s[0].sign_extended(8); };
  case F::extend_16: return [](S x) { return x.s[0].sign_extended(16); };
  case F::clear_bit_32: return [](S x) { return x.old & ~(known(1) << count5(x.s[0])); };
  case F::clear_bit_64: return [](S x) { return x.old & ~(known(1) << count6(x.s[0])); };
  case F::set_bit_32: return [](S x) { return x.old | known(1) << count5(x.s[0]); };
  case F::set_bit_64: return [](S x) { return x.old | known(1) << count6(x.s[0]); };
  case F::select: return [](S x) { return conditional(x, x.s[0], x.s[1]); };
  case F::copy_if: return [](S x) { return conditional(x, x.s[0], x.old); };
  case F::constant_if: return [](S x) { return conditional(x, known(0), x.old); };
  }
  return nullptr;
}

} // namespace fmha950::observe
