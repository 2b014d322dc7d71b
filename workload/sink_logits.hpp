#pragma once
// Sink logits of a problem: ln(longest key length + 1) + N(0, 1) per query head.

#include "interface/tensors.hpp"

namespace fmha950::workload {

Tensor make_sink_logits(const Problem& problem);

} // namespace fmha950::workload
