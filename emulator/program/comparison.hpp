#pragma once
// What a comparison says of its sources: its row says it (row.hpp), and the check without running follows conditions by it.

#include <cstdint>

namespace fmha950::isa {

// The contraries stand side by side.
enum class Relation : uint8_t {
  none, // no comparison; rows of comparisons all say one
  equal,
  different,
  less,
  at_least,
  greater,
  at_most,
  bit_one, // of the first source, the bit whose number is the second
  bit_zero,
  other // always, never, of NaNs, by class: nobody follows it
};

struct Comparison {
  enum class Numbers : uint8_t { without_sign, with_sign, floating };
  Relation relation = Relation::none;
  Numbers numbers = Numbers::without_sign;
  uint8_t bits = 32;      // of the first source
  bool sets_exec = false; // too
};

} // namespace fmha950::isa
