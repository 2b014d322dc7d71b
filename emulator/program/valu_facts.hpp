#pragma once
// What a VALU instruction is, for those who do not execute it: its row says it once (row.hpp), and checks and cycle
// model read it. Most of it follows from the types of the row's signature (isa/valu.hpp).

#include <cstdint>

namespace fmha950::isa {

// Which rate it runs at, and which wait states it needs.
enum class ValuClass : uint8_t {
  none, // no VALU instruction
  plain,
  packed,        // two elements in a register or in a pair of them
  wide_multiply, // of 32-bit integers
  conversion,
  transcendental,
  dot,
  fma_f64 // waits for the f64 matrix unit
};

// How a result follows from the sources.
enum class ValuFlow : uint8_t {
  unsaid,          // rows of the VALU all say one
  together,        // each byte of the result from all that is read of all sources
  nothing,         // there is no result
  copy,            // byte by byte
  compare,         // a bit for each lane
  select,          // the first or the second source, as a mask of lanes says
  swap,            // result and source change places
  swap_rows_16,    // likewise, for rows of 16 lanes: v_permlane16_swap
  swap_rows_32,    // likewise, of 32
  read_first_lane, // one lane into an SGPR
  read_lane,       // likewise, by its number
  write_lane,      // one lane from an SGPR
  packed_halves,   // each half by itself
  packed_words,    // each register of a pair by itself
  word_from_each,  // the low word from the first source, the high one from the second
  half_from_each,  // likewise, halves of a register
  code_from_each,  // likewise, two bytes of a register
  codes_of_halves, // two bytes from the two halves of the first source, by what the others say
  byte_in_word, // one byte from the first source, as the second says which; the others are the third source's
  narrowed,     // a part of the register
  widened,      // from a byte of the first source, by what the others say
  widened_each, // two elements from two bytes, likewise
  mixed,        // op_sel_hi says which sources are halves
  low_word_of_low_words // a low word that does not depend on high words
};

// Bytes of a register, or of a pair of them, that an instruction reads or writes. op_sel may move a byte or half.
inline constexpr uint8_t one_byte = 0x1, low_half = 0x3, high_half = 0xC, one_word = 0xF, all_bytes = 0xFF;

struct ValuFacts {
  ValuClass kind = ValuClass::none;
  ValuFlow flow = ValuFlow::unsaid;
  uint8_t writes = 0;
  uint8_t reads[3] = {};     // of each source
  uint8_t widest = 1;        // VGPRs of its widest operand or result
  bool keeps_rest = false;   // a half as result leaves the other half alone
  bool accumulates = false;  // the destination is the third source
  bool takes_mask = false;   // the third source is a mask of lanes
  bool takes_vcc = false;    // VCC is an implicit one
  bool carries = false;      // a second result is a mask of lanes
  bool always_moves = false; // even a byte that op_sel leaves where it is (H13)

  constexpr bool is_complete() const {
    if (kind == ValuClass::none || flow == ValuFlow::unsaid) return false;
    if (flow == ValuFlow::nothing) return true;
    return writes != 0 && (reads[0] != 0 || flow == ValuFlow::compare); // v_cmp_f, v_cmp_t read nothing
  }
  constexpr bool crosses_lanes() const { return is_lane_move() || is_row_swap(); }
  constexpr bool is_lane_read() const {
    return flow == ValuFlow::read_first_lane || flow == ValuFlow::read_lane;
  }
  constexpr bool is_lane_move() const { return is_lane_read() || flow == ValuFlow::write_lane; }
  constexpr bool is_row_swap() const {
    return flow == ValuFlow::swap_rows_16 || flow == ValuFlow::swap_rows_32;
  }
};

// Without a signature that says more: registers are read and written whole.
constexpr ValuFacts whole_registers(ValuClass kind, ValuFlow flow) {
  return {.kind = kind, .flow = flow, .writes = one_word, .reads = {all_bytes, all_bytes, all_bytes}};
}

} // namespace fmha950::isa
