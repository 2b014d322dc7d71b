#include "attention/host/cost_estimate.hpp"

#include "emulator/rates/latencies.hpp"
#include "numerics/target.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace fmha950::attention {

namespace {

// Of a workgroup's waves, those that have rows.
double share_of_waves(const WorkItem& item, int heads_per_kv_head, TileShape shape) {
  const int rows = std::clamp(item.query_length * heads_per_kv_head - item.first_row, 0, shape.rows);
  const int waves = (rows + rows_per_wave - 1) / rows_per_wave;
  return double(waves) * rows_per_wave / shape.rows;
}

// When the last of these ends.
double last_end(std::vector<double> workgroups, int places) {
  std::ranges::sort(workgroups, std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> free(
      std::greater<>(), std::vector<double>(static_cast<size_t>(places), 0.0));
  double end = 0;
  for (const double clocks : workgroups) {
    const double done = free.top() + clocks;
    free.pop();
    free.push(done);
    end = std::max(end, done);
  }
  return end;
}

} // namespace

double launch_seconds(const std::vector<Work>& work, int heads_per_kv_head, const KernelCosts& costs) {
  constexpr int units = target.compute_units();
  const bool shared = costs.resident > 1 && work.size() > static_cast<size_t>(units);
  std::vector<double> workgroups;
  double nanoseconds = 0; // of one compute unit
  for (const Work& w : work) {
    const double share = share_of_waves(w.item, heads_per_kv_head, costs.shape);
    const int tiles = w.item.end_tile - w.item.first_tile;
    workgroups.push_back((costs.start.at(share) + costs.tile.at(share) * tiles) *
                         (shared ? costs.sharing : 1));
    nanoseconds += costs.energy.at(share) * (tiles + 1);
  }
  const double clocks = last_end(std::move(workgroups), units * (shared ? costs.resident : 1));
  const double limited = (idle_nanoseconds * clocks + nanoseconds / units) * 1e-9;
  return std::max(launch_seconds(clocks), timing::dispatch_seconds + limited);
}

double launch_seconds(double clocks) { return timing::dispatch_seconds + clocks / timing::nominal_hertz; }

std::optional<double> estimated_seconds(const Problem& problem, std::span<const FormCosts> forms) {
  const std::optional<CostForm> form = cost_form(problem);
  const auto found =
      std::ranges::find_if(forms, [&](const FormCosts& of) { return form && of.form == *form; });
  if (found == forms.end()) return {};
  const KernelCosts& costs = found->costs;
  return std::max(memory_seconds(problem),
                  launch_seconds(work_of_lengths(problem, costs.shape), problem.heads_per_kv_head(), costs));
}

double memory_seconds(double bytes) {
  if (bytes <= timing::mall_bytes) return 0;
  return timing::dispatch_seconds + bytes / (timing::hbm_bytes_per_clock * timing::nominal_hertz);
}

double memory_seconds(const Problem& problem) {
  double keys = 0;
  for (const Request& request : problem.requests) keys += request.key_length;
  return memory_seconds(keys * problem.kv_heads * (problem.head_dim + problem.value_columns()) *
                        element_bytes(problem.kv_type));
}

std::vector<Work> work_of_lengths(const Problem& problem, TileShape shape) {
  const std::vector<int32_t> begins(problem.requests.size());
  return make_work(problem, begins, shape);
}

std::optional<CostForm> cost_form(const Problem& problem) {
  const bool pages = problem.quantisation == Quantisation::page;
  const bool descales = problem.quantisation == Quantisation::none ||
                        problem.quantisation == Quantisation::per_tensor ||
                        (pages && problem.page_size >= keys_per_tile);
  const bool fp8_queries = problem.query_type == ElementType::fp8;
  const bool fp8_keys = problem.kv_type == ElementType::fp8;
  const bool more_columns = problem.head_dim == 192 && problem.value_columns() == 128;
  const bool columns = more_columns || (problem.head_dim == 128 && problem.value_columns() == 128);
  const bool known = problem.op == batch_prefill && descales && columns && (fp8_keys || !fp8_queries) &&
                     problem.kv_layout == KvLayout::linear && !problem.strided && !problem.interleaved &&
                     !problem.window && problem.sink_tokens == 0 && problem.tree_nodes == 0 &&
                     !problem.sink_logit && problem.soft_cap == 0;
  if (!known) return {};
  return CostForm{fp8_queries, fp8_keys, more_columns, pages};
}

} // namespace fmha950::attention
