#pragma once
// What the kernels of batch_prefill take, for the cycle model's estimate (attention/host/cost_estimate.hpp).

#include "attention/host/cost_estimate.hpp"
#include "impl_fused/kernel_arguments.hpp"

namespace fmha950::fused {

// A wave without rows does next to nothing.
inline constexpr attention::FormCosts costs[] = {{{},
                                                  {.shape = {rows_per_tile, keys_per_tile},
                                                   .start = {3600, 7600},
                                                   .tile = {1490, 1690},
                                                   .energy = {26, 391},
                                                   .resident = 2,
                                                   .sharing = 1.13}},
                                                 {{.page_descales = true},
                                                  {.shape = {rows_per_tile, keys_per_tile},
                                                   .start = {3950, 8100},
                                                   .tile = {1765, 1880},
                                                   .energy = {29, 423},
                                                   .resident = 2,
                                                   .sharing = 1.14}}};

} // namespace fmha950::fused
