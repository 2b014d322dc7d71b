#pragma once
// What instructions compute, where it is asked of values that are known in part: of masks of lanes, of comparisons and of the
// bits of addresses. Rows say which function it is (program/bit_function.hpp, arithmetic.hpp, comparison.hpp); here stands what
// each function does to such values. A function without a line here is not followed.

#include "emulator/program/instruction.hpp"
#include "emulator/static_check/known_bits.hpp"

#include <optional>

namespace fmha950::static_check {

// Whether a source is none of the registers that its uses name: vccz, execz, scc, apertures.
bool reads_special(const isa::Instruction& in);

// Of two masks of 64 lanes, or of one and EXEC: bit 2a + b says whether the result has a lane of which the first says a, the
// second b.
std::optional<unsigned> mask_table_of(const isa::Instruction& in);

// What a scalar comparison says of its sources, or the contrary.
struct Predicate {
  enum Kind : uint8_t { equal, less, less_signed, greater, greater_signed, bit } kind = equal;
  bool contrary = false;
};
std::optional<Predicate> predicate_of(const isa::Instruction& in);

// What a comparison of vector registers says of each lane.
std::optional<Predicate> lane_predicate_of(const isa::Instruction& in);

// How a result follows from the sources `first` and `second` as whole numbers with a sign.
struct LinearUse {
  enum Kind : uint8_t {
    copy,
    sum,
    difference,
    shifted_left,     // the first by the second
    shifted_left_sum, // and the third source added
    shifted_right,    // with the sign
    minimum,
  } kind = copy;
  uint8_t first = 0, second = 1;
};
std::optional<LinearUse> linear_use_of(const isa::Instruction& in);

// Of three sources of 32 bits, those that it does not have unknown; null: not followed.
using Evaluate = KnownBits (*)(KnownBits a, KnownBits b, KnownBits c);
Evaluate evaluation_of(const isa::Instruction& in);

// How a result follows from its sources bit by bit: `table` is one of bitwise(). `shifted` names a source that is first
// shifted left, by the other one of sources 0 and 1. Then the table's first source is that value, its second is source 2.
struct BitForm {
  static constexpr int none = -1;
  static constexpr uint32_t first_source = 0xF0; // what copies it
  uint32_t table = first_source;
  int shifted = none; // source 0 or 1
};
std::optional<BitForm> bit_form_of(const isa::Instruction& in);

// Which sources a pointer may come from into the result, as it is or with an offset added; from the others comes only an
// offset. A pair of registers comes word by word.
struct PointerUse {
  uint8_t sources = 0;       // a bit for each
  bool wide = false;         // of 64 bits
  bool selects = false;      // one of the sources, not their sum
  bool shifts_first = false; // the first source, by the second: a pointer only by none
};
std::optional<PointerUse> pointer_use_of(const isa::Instruction& in);

} // namespace fmha950::static_check
