#pragma once
// Outputs of a foreign kernel: what they hold, and how far they are from what is expected.

#include "harness/foreign/array.hpp"

namespace fmha950::harness {

// "min -3.1, max 2.9, rms 1.002; 0 NaN, 0 Inf; 0.5 0.25 ...", with what is still poison.
std::string summary(const Array& output, bool was_poisoned);

// L2 norm of the difference over that of `expected`. An element that is not finite counts as equal to its like, else
// makes the result infinite. A type without a name in .npy is read as the output's. Throws InvalidInput, which calls
// `expected` `field`, unless it has as many elements.
double relative_l2(const std::string& field, const Array& output, Array expected);

// Elements with other bits, and the first of them; both have one type and shape.
struct BitDifference {
  size_t count = 0, first = 0;
};
BitDifference compare_bits(const Array& a, const Array& b);

} // namespace fmha950::harness
