#pragma once
// Which function of whole numbers an instruction computes, where no bit of the result is known by itself (bit_function.hpp has
// the others): its row says it (row.hpp), and the check without running follows counters, offsets and addresses by it.

#include <cstdint>

namespace fmha950::isa {

enum class Arithmetic : uint8_t {
  unsaid, // rows of the SALU all say one, or a BitFunction, or a comparison
  other,  // nobody follows it
  add,    // of numbers with a sign
  add_unsigned,
  add_carry, // with a carry out, or in and out
  subtract,
  subtract_unsigned,
  minimum,      // of numbers with a sign
  multiply,     // the low or the high word of a product
  multiply_add, // the third source and a product of the others
  field,        // some bits of the first source, as the second says
  in_f64        // from whole numbers to f64, sums and products of such
};

} // namespace fmha950::isa
