#include "impl_pipelined/pipelined_costs.hpp"

#include "attention/host/cost_estimate.hpp"
#include "emulator/rates/latencies.hpp"
#include "impl_pipelined/kernel_arguments.hpp"
#include "impl_pipelined/partial_rows.hpp"

#include <algorithm>

namespace fmha950::pipelined {
namespace {

// Filling the pipeline and storing what it found take a part as long as four tiles and more. Two tiles would
// still gain a fifth where a request has 1k keys (docs/performance.md), but problems small enough for the
// tests would then never go around the loop over tiles.
constexpr int fewest_tiles_of_a_part = 4;
// The same where a request's parts may not depend on the batch (deterministic=1). It is not known then how many compute units
// are left for a request: in a full batch none are, and what each part costs beside its tiles is lost: the clocks of four and more, the energy of one.
constexpr int fewest_tiles_of_an_own_part = 16;

// Those of f8f6f4: key splits of the other paths follow them, too. A wave without rows multiplies all the same.
constexpr attention::KernelCosts tensor_costs{.shape = {rows_per_tile, keys_per_tile},
                                              .start = {6300, 12200},
                                              .tile = {1450, 1560},
                                              .energy = {725, 745}};
constexpr attention::KernelCosts page_costs{.shape = {rows_per_tile, keys_per_tile},
                                            .start = {3970, 10500},
                                            .tile = {2500, 2020},
                                            .energy = {800, 800}};
const attention::KernelCosts& costs_of(const Problem& problem) {
  return problem.quantisation == Quantisation::page ? page_costs : tensor_costs;
}

// Of the combine step, by the cycle model: clocks of a launch, and of each four parts of a row, whose loads are under way together.
constexpr double joining_clocks = 2700, joining_clocks_of_four_parts = 1200;

double joining_seconds(const std::vector<attention::Work>& parts, int heads_per_kv_head) {
  int fours = 0;
  double bytes = 0;
  for (const attention::Work& w : parts) {
    fours = std::max(fours, w.item.part / 4 + 1);
    const int rows = std::min(rows_per_tile, w.item.query_length * heads_per_kv_head - w.item.first_row);
    bytes += PartialRows::blocks(static_cast<uint32_t>(rows)) * PartialRows::block_floats * sizeof(float);
  }
  return attention::launch_seconds(joining_clocks + joining_clocks_of_four_parts * fours +
                                   bytes / timing::mall_bytes_per_clock);
}

double attention_seconds(const Problem& problem, const std::vector<attention::Work>& work) {
  return attention::launch_seconds(work, problem.heads_per_kv_head(), costs_of(problem));
}

} // namespace

attention::SplitWork split_work(const Problem& problem, const std::vector<attention::Work>& work) {
  const auto time = [&](const std::vector<attention::Work>& items) {
    const bool split = std::ranges::any_of(items, [](const auto& w) { return w.item.part > 0; });
    return attention_seconds(problem, items) +
           (split ? joining_seconds(items, problem.heads_per_kv_head()) : 0);
  };
  return problem.batch_invariant ? attention::split_by_request(work, fewest_tiles_of_an_own_part, time)
                                 : attention::split_for_batch(work, fewest_tiles_of_a_part, time);
}

std::optional<double> estimated_seconds(const Problem& problem) {
  const std::optional<attention::CostForm> form = attention::cost_form(problem);
  if (!form || !form->fp8_queries || form->more_columns) return {};
  const attention::SplitWork split =
      split_work(problem, attention::work_of_lengths(problem, costs_of(problem).shape));
  double seconds = split.whole.empty() ? 0 : attention_seconds(problem, split.whole);
  if (!split.parts.empty())
    seconds +=
        attention_seconds(problem, split.parts) + joining_seconds(split.parts, problem.heads_per_kv_head());
  return std::max(seconds, attention::memory_seconds(problem));
}

} // namespace fmha950::pipelined
