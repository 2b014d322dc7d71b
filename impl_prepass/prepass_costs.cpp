#include "impl_prepass/prepass_costs.hpp"

#include "attention/host/cost_estimate.hpp"
#include "emulator/rates/latencies.hpp"
#include "impl_prepass/kernel_arguments.hpp"

#include <algorithm>

namespace fmha950::prepass {
namespace {

// Of the attention kernel, which reads scratch of 16 bits whatever the keys were. A wave without rows does next to nothing.
constexpr attention::KernelCosts kernel_costs(attention::ByRows start, attention::ByRows tile,
                                              attention::ByRows energy) {
  return {.shape = {rows_per_tile, keys_per_tile}, .start = start, .tile = tile, .energy = energy};
}
constexpr attention::KernelCosts tensor_costs = kernel_costs({6800, 16400}, {1785, 2335}, {1, 1255}),
                                 page_costs = kernel_costs({6600, 16650}, {2140, 3130}, {113, 1350}),
                                 mla_costs = kernel_costs({9500, 17150}, {2035, 2895}, {86, 1500}),
                                 mla_page_costs = kernel_costs({4000, 17450}, {2520, 3650}, {71, 1570});

const attention::KernelCosts& costs_of(const attention::CostForm& form) {
  if (form.more_columns) return form.page_descales ? mla_page_costs : mla_costs;
  return form.page_descales ? page_costs : tensor_costs;
}

// One of the two relayout launches, by the cycle model: clocks of a small one, and bytes that it reads and writes in a clock.
constexpr double relayout_clocks = 2200;
constexpr double relayout_rate = 3200, relayout_rate_of_fp8 = 4450; // page descales: as 16 bits
constexpr double relayout_rate_of_hbm = 2400;                       // where MALL has no room for them

double relayout_seconds(double bytes, const attention::CostForm& form) {
  const double rate = bytes > timing::mall_bytes             ? relayout_rate_of_hbm
                      : form.fp8_keys && !form.page_descales ? relayout_rate_of_fp8
                                                             : relayout_rate;
  return attention::launch_seconds(std::max(relayout_clocks, bytes / rate));
}

} // namespace

std::optional<double> estimated_seconds(const Problem& problem) {
  const std::optional<attention::CostForm> form = attention::cost_form(problem);
  if (!form || form->fp8_queries) return {};
  double rows = 0;
  for (const Request& request : problem.requests) rows += request.key_length;
  rows *= problem.kv_heads;
  const double relayouted = element_bytes(problem.kv_type) + 2; // bytes of an element, read and written
  const double relayout = relayout_seconds(rows * problem.head_dim * relayouted, *form) +
                          relayout_seconds(rows * problem.value_columns() * relayouted, *form);
  const attention::KernelCosts& costs = costs_of(*form);
  const double attention = attention::launch_seconds(attention::work_of_lengths(problem, costs.shape),
                                                     problem.heads_per_kv_head(), costs);
  const double scratch = 2 * rows * (problem.head_dim + problem.value_columns());
  return relayout + std::max(attention, attention::memory_seconds(scratch));
}

} // namespace fmha950::prepass
