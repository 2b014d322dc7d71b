#pragma once
// Values that kernels have to read are numbers: NaN and infinity come out of every kernel, and would be
// called its inaccuracy.
//
// Read are every row of Q, and of K and V the tokens that some query of their request sees; of append_prefill
// the tokens of before and the chunk; of sparse_prefill the rows of Q and those that a list names. All else
// may hold anything: what stands behind a request's last key, spare pages, tokens that a window hides from
// every query, unlisted rows, padding. Descales and sink logits are validate_tensors()'s.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

namespace fmha950::workload {

// Throws InvalidInput for a value that is not finite: the tensor and its request, token, head and column.
// Relies on validate_tensors().
void validate_values(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::workload
