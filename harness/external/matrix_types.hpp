#pragma once
// What the matrix instructions of a code object's kernels multiply, as the embedded device reads it off their code.

#include <set>
#include <string>

namespace fmha950::harness::external {

struct MatrixTypes {
  std::set<std::string> all; // bf16, fp16, fp8, f8f6f4 ...
  // Of those whose sums a loop carries: in attention those that multiply V. Empty where that is not told.
  std::set<std::string> carried;
};

// Of an object that is registered, and a kernel of it. Only where the runtime tells (hip::api().FileCoverage).
MatrixTypes matrix_types(const std::string& variant, const std::string& symbol);

} // namespace fmha950::harness::external
