#include "impl_fused/fused_costs.hpp"

#include "attention/host/cost_estimate.hpp"
#include "impl_fused/kernel_arguments.hpp"

namespace fmha950::fused {
namespace {

// A wave without rows does next to nothing.
constexpr attention::KernelCosts tensor_costs{.shape = {rows_per_tile, keys_per_tile},
                                              .start = {3900, 7100},
                                              .tile = {1790, 1955},
                                              .energy = {25, 430},
                                              .resident = 2,
                                              .sharing = 1.35};
constexpr attention::KernelCosts page_costs{.shape = {rows_per_tile, keys_per_tile},
                                            .start = {2900, 6700},
                                            .tile = {1990, 2050},
                                            .energy = {30, 460},
                                            .resident = 2,
                                            .sharing = 1.4};

} // namespace

std::optional<double> estimated_seconds(const Problem& problem) {
  if (!attention::has_estimate(problem)) return {};
  return attention::estimated_seconds(problem,
                                      problem.quantisation == Quantisation::page ? page_costs : tensor_costs);
}

} // namespace fmha950::fused
