#pragma once
// What the kernels of batch_prefill take, for the cycle model's estimate (attention/host/cost_estimate.hpp).

#include "attention/host/cost_estimate.hpp"
#include "impl_fused/kernel_arguments.hpp"

namespace fmha950::fused {

// A wave without rows does next to nothing.
inline constexpr attention::FormCosts costs{.tensor = {.shape = {rows_per_tile, keys_per_tile},
                                                       .start = {3900, 7100},
                                                       .tile = {1610, 1800},
                                                       .energy = {25, 390},
                                                       .resident = 2,
                                                       .sharing = 1.35},
                                            .page = {.shape = {rows_per_tile, keys_per_tile},
                                                     .start = {2900, 6700},
                                                     .tile = {1830, 1870},
                                                     .energy = {30, 432},
                                                     .resident = 2,
                                                     .sharing = 1.4}};

} // namespace fmha950::fused
