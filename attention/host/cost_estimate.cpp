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

std::optional<double> estimated_seconds(const Problem& problem, const FormCosts& costs) {
  if (!has_estimate(problem)) return {};
  const KernelCosts& of_form = costs.of(problem);
  return std::max(memory_seconds(problem), launch_seconds(work_of_lengths(problem, of_form.shape),
                                                          problem.heads_per_kv_head(), of_form));
}

double memory_seconds(const Problem& problem) {
  double keys = 0;
  for (const Request& request : problem.requests) keys += request.key_length;
  const double bytes = 2 * keys * problem.kv_heads * problem.head_dim; // of fp8
  if (bytes <= timing::mall_bytes) return 0;
  return timing::dispatch_seconds + bytes / (timing::hbm_bytes_per_clock * timing::nominal_hertz);
}

std::vector<Work> work_of_lengths(const Problem& problem, TileShape shape) {
  const std::vector<int32_t> begins(problem.requests.size());
  return make_work(problem, begins, shape);
}

bool has_estimate(const Problem& problem) {
  const bool descales = problem.quantisation == Quantisation::none ||
                        problem.quantisation == Quantisation::per_tensor ||
                        (problem.quantisation == Quantisation::page && problem.page_size >= keys_per_tile);
  return problem.op == batch_prefill && descales && problem.query_type == ElementType::fp8 &&
         problem.kv_type == ElementType::fp8 && problem.head_dim == 128 &&
         problem.kv_layout == KvLayout::linear && !problem.strided && !problem.interleaved &&
         !problem.window && problem.sink_tokens == 0 && problem.tree_nodes == 0 && !problem.sink_logit &&
         problem.soft_cap == 0;
}

} // namespace fmha950::attention
