#pragma once
// Some requests of a batch as a batch of their own, with the bytes that they have there: the same pools and descales, their
// rows of Q, their pages.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <span>

namespace fmha950::operators {

struct SubBatch {
  Problem problem;
  Tensors tensors; // pools are shared with the batch's, and with paged=0 copied page by page
};

// `requests`: numbers of requests, in the order that they get. The case string of the problem makes other tensors, as values
// and pages follow from a request's place. Unquantised inputs are left out. For problems of one call.
SubBatch sub_batch(const Problem& problem, const Tensors& tensors, std::span<const int> requests);

} // namespace fmha950::operators
