#pragma once
// The outputs of a foreign kernel: which there are, where they are saved, what they hold and what they must hold.

#include "harness/foreign/argument_block.hpp"
#include "harness/foreign/array.hpp"

namespace fmha950::harness {

struct Output {
  const ArgumentBuffer* buffer = nullptr;
  std::string name; // its argument's in the metadata, else "argument2"
};
std::vector<Output> outputs_of(const ForeignKernel& kernel,
                               const ArgumentBlock& block); // in the block's order

struct Expectation {
  size_t output = 0; // index
  std::string text;  // as it was given
  Array values;
};

// "FILE" where there is one output, else "OUTPUT=FILE", by the argument's name or number. Reads the file. Throws
// InvalidInput, also for a file with another number of elements than the output.
Expectation parse_expectation(const std::string& text, const std::vector<Output>& outputs);

// Each in the file that its argument names, else in `otherwise` unless that is "". Throws InvalidInput.
void save_outputs(const std::vector<Output>& outputs, const std::vector<Array>& results,
                  const std::string& otherwise);

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
