#pragma once
// What a kernel rounds P to, read off its machine code: the type that the matrix instructions read which
// multiply V. These add to accumulators that the loop over tiles carries from tile to tile; those of Q K^T
// begin each tile anew.

#include "interface/problem.hpp"
#include "tests/support/machine_code.hpp"

#include <set>
#include <string>

namespace fmha950::test {

// The instructions that multiply V, without their registers: "v_mfma_f32_32x32x64_f8f6f4", with cbsz: and
// blgp: where they have them.
std::set<std::string> value_products(const MachineCode& loop);

std::set<ElementType> types_of_p(const MachineCode& loop);

// A plan of the case declares (Plan::probability_rounding) what the code object that it loads does. Where
// some columns of V are bf16 beside FP8 ones (sparse_prefill) it declares the coarser type, which allows more
// noise to those.
void check_probability_type(const std::string& implementation, const std::string& case_string);

} // namespace fmha950::test
