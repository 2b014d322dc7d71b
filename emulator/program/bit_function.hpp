#pragma once
// Which function of its sources an integer instruction is, where single bits of the result may be known although others are
// not: its row says it (row.hpp), and the check for values that nobody wrote follows it bit by bit. A, b and c are the
// sources in encoding order.

#include <cstdint>

namespace fmha950::isa {

enum class BitFunction : uint8_t {
  none, // every bit depends on all that is read
  copy,
  constant,
  bit_not,
  bit_and,
  bit_or,
  bit_xor,
  bit_nand,
  bit_nor,
  bit_xnor,
  and_not, // a & ~b
  or_not,
  not_and, // ~a & b
  not_or,
  or3,
  and_or,
  insert,        // bits of b where a has ones, of c elsewhere
  truth_table,   // which the instruction holds: v_bitop3
  permute_bytes, // v_perm
  reverse,

  // a by b; "back": b by a
  shift_left_32,
  shift_left_64,
  shift_left_back_32,
  shift_left_back_64,
  shift_right_32,
  shift_right_64,
  shift_right_back_32,
  shift_right_back_64,
  shift_right_signed_32,
  shift_right_signed_64,
  shift_right_signed_back_32,
  shift_right_signed_back_64,
  shift_or,
  align_bits,
  align_bytes,
  field,
  signed_field,

  add,
  subtract,
  subtract_back,
  add3,
  shift_add_32,
  shift_add_64,
  add_shift,
  xor_add,
  multiply,
  count_below_low, // v_mbcnt
  count_below_high,

  pack_low_low,
  pack_low_high,
  pack_high_high,
  extend_8,
  extend_16,
  // of the destination as it was
  clear_bit_32,
  clear_bit_64,
  set_bit_32,
  set_bit_64,
  // as SCC says: a or b; a, a constant, or the destination as it was
  select,
  copy_if,
  constant_if
};

} // namespace fmha950::isa
