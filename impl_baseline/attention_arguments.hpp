#pragma once
// What kernels of attention are given that read keys from pages.

#include "impl_baseline/kernel_arguments.hpp"
#include "interface/implementation.hpp"

namespace fmha950::baseline {

// `score_descale`: of Q and of K per tensor, as far as scores have not been multiplied by it already;
// `value_scale`: likewise of V. Throws InvalidInput for pages 4 GiB apart.
AttentionArguments attention_arguments(const Problem& problem, const DeviceTensors& device,
                                       const attention::WorkItem* work, double score_descale,
                                       float value_scale);

} // namespace fmha950::baseline
