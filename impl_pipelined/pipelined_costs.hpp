#pragma once
// What the kernels take by the cycle model's estimate (attention/host/cost_estimate.hpp), and the key split that follows from it.

#include "attention/host/key_split.hpp"
#include "interface/problem.hpp"

#include <optional>
#include <vector>

namespace fmha950::pipelined {

// Of work items of the problem, whole ones and parts.
attention::SplitWork split_work(const Problem& problem, const std::vector<attention::Work>& work);

// Of FP8 queries and keys with an attention::cost_form().
std::optional<double> estimated_seconds(const Problem& problem);

} // namespace fmha950::pipelined
