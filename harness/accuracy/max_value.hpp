#pragma once
// max |V| over the keys of all requests (old tokens and chunk of append_prefill), or the listed rows of
// sparse_prefill, dequantised: what the FP8 ceiling of the accuracy rule scales with.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

namespace fmha950::harness {

double max_value(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::harness
