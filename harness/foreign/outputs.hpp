#pragma once
// The outputs of a foreign kernel by name: which there are, where they are saved, what they must hold.

#include "harness/foreign/argument_block.hpp"

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

} // namespace fmha950::harness
