#pragma once
// Batch invariance: a request's bits do not depend on what else is in the batch (deterministic=1). Each request runs alone and
// in batches of several sizes, with the same bytes of Q, K and V; outputs and LSEs are compared bit for bit.

#include "interface/implementation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

using Batch = std::vector<int>; // numbers of requests, in the batch's order

// Each request alone, then all of them in batches of 2, of 40, in one, and in one in reverse and in shuffled order. Batches of a size that there are too few requests for are left out.
std::vector<Batch> batches_of(int requests);

// The first request that has other bits than in the first batch that it is in, in words. Nothing: all have the same, to the
// bit. The problem has one call. Throws what the implementation or the device throws.
std::optional<std::string> batch_difference(const Implementation& implementation, const Problem& problem,
                                            const Tensors& tensors, const std::vector<Batch>& batches);

} // namespace fmha950::harness
