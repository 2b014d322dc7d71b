#pragma once
// What the kernels of batch_prefill take, for the cycle model's estimate (attention/host/cost_estimate.hpp).

#include "attention/host/cost_estimate.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

// fp8, LINEAR, head_dim 128. A wave without rows multiplies all the same.
inline constexpr attention::FormCosts costs{.tensor = {.shape = {rows_per_tile, keys_per_tile},
                                                       .start = {6600, 7800},
                                                       .tile = {1645, 1820},
                                                       .energy = {480, 510},
                                                       .resident = 2,
                                                       .sharing = 1.58},
                                            .page = {.shape = {rows_per_tile, keys_per_tile},
                                                     .start = {7500, 9000},
                                                     .tile = {1890, 2010},
                                                     .energy = {520, 560},
                                                     .resident = 2,
                                                     .sharing = 1.43}};

} // namespace fmha950::baseline
