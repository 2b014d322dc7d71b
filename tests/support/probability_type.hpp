#pragma once
// What a kernel rounds P to, read off its machine code: the type that the matrix instructions read which
// multiply V. These add to accumulators that the loop over tiles carries from tile to tile; those of Q K^T
// begin each tile anew.

#include "interface/problem.hpp"
#include "tests/support/machine_code.hpp"

#include <set>
#include <string>
#include <vector>

namespace fmha950::test {

// The instructions that multiply V, without their registers: "v_mfma_f32_32x32x64_f8f6f4", with cbsz: and
// blgp: where they have them.
std::set<std::string> value_products(const MachineCode& loop);

std::set<ElementType> types_of_p(const MachineCode& loop);

struct PlannedCase {
  std::string implementation, case_string;
};

// A plan of each case declares (Plan::probability_rounding) what all kernels of the code object do that it loads. The
// cases load every code object with a kernel that multiplies V of those whose names start with one of `prefixes`.
// Where some columns of V are bf16 beside FP8 ones (sparse_prefill) a plan declares the coarser type, which allows more
// noise to those.
void check_probability_types(const std::vector<PlannedCase>& cases, const std::vector<std::string>& prefixes);

} // namespace fmha950::test
