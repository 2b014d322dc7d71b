#pragma once
// What prepass takes by the cycle model's estimate (attention/host/cost_estimate.hpp), where queries have 16 bits.

#include "interface/problem.hpp"

#include <optional>

namespace fmha950::prepass {

// Two relayout launches and that of the attention. Nothing where there is no estimate.
std::optional<double> estimated_seconds(const Problem& problem);

} // namespace fmha950::prepass
