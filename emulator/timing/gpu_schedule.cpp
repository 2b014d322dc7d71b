#include "emulator/timing/gpu_schedule.hpp"

#include "emulator/timing/latencies.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

namespace fmha950::timing {
namespace {

double between(const SampledWorkgroup& a, const SampledWorkgroup& b, uint64_t id) {
  const double part = static_cast<double>(id - a.linear_id) / static_cast<double>(b.linear_id - a.linear_id);
  return static_cast<double>(a.clocks) +
         part * (static_cast<double>(b.clocks) - static_cast<double>(a.clocks));
}

double clocks_of(std::span<const SampledWorkgroup> samples, uint64_t id) {
  const auto after = std::ranges::lower_bound(samples, id, {}, &SampledWorkgroup::linear_id);
  if (after == samples.end()) return static_cast<double>(samples.back().clocks);
  if (after == samples.begin() || after->linear_id == id) return static_cast<double>(after->clocks);
  return between(*std::prev(after), *after, id);
}

double sampling_error(std::span<const SampledWorkgroup> samples) {
  double squares = 0, sum = 0;
  for (const SampledWorkgroup& sample : samples) sum += static_cast<double>(sample.clocks);
  for (size_t i = 1; i + 1 < samples.size(); ++i) {
    const double off = static_cast<double>(samples[i].clocks) -
                       between(samples[i - 1], samples[i + 1], samples[i].linear_id);
    squares += off * off;
  }
  if (samples.size() < 3 || sum == 0) return 0;
  const auto count = static_cast<double>(samples.size());
  return std::sqrt(squares / (count - 2)) / (sum / count) / std::sqrt(count);
}

} // namespace

GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu) {
  using Places = std::priority_queue<double, std::vector<double>, std::greater<>>; // when each is free
  const auto places = static_cast<size_t>(cus_per_chiplet * workgroups_per_cu);
  std::vector<Places> free(chiplets, Places(std::greater<>(), std::vector<double>(places, 0.0)));
  GpuTime time{.sampling_error = sampling_error(samples)};
  for (uint64_t id = 0; id < grid_workgroups; ++id) {
    Places& chiplet = free[id % chiplets];
    const double end = chiplet.top() + clocks_of(samples, id);
    chiplet.pop();
    chiplet.push(end);
    time.clocks = std::max(time.clocks, end);
  }
  return time;
}

} // namespace fmha950::timing
