#pragma once
// What the kernels take by the cycle model's estimate (attention/host/cost_estimate.hpp).

#include "interface/problem.hpp"

#include <optional>

namespace fmha950::baseline {

// Of batch_prefill, where attention::has_estimate().
std::optional<double> estimated_seconds(const Problem& problem);

} // namespace fmha950::baseline
