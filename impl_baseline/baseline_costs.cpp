#include "impl_baseline/baseline_costs.hpp"

#include "attention/host/cost_estimate.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {
namespace {

// fp8, LINEAR, head_dim 128. A wave without rows multiplies all the same.
constexpr attention::KernelCosts tensor_costs{.shape = {rows_per_tile, keys_per_tile},
                                              .start = {6600, 7800},
                                              .tile = {1645, 1820},
                                              .energy = {480, 510},
                                              .resident = 2,
                                              .sharing = 1.58};
constexpr attention::KernelCosts page_costs{.shape = {rows_per_tile, keys_per_tile},
                                            .start = {7500, 9000},
                                            .tile = {1890, 2010},
                                            .energy = {520, 560},
                                            .resident = 2,
                                            .sharing = 1.43};

} // namespace

std::optional<double> estimated_seconds(const Problem& problem) {
  if (!attention::has_estimate(problem)) return {};
  return attention::estimated_seconds(problem,
                                      problem.quantisation == Quantisation::page ? page_costs : tensor_costs);
}

} // namespace fmha950::baseline
