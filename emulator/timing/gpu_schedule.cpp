#include "emulator/timing/gpu_schedule.hpp"

#include "emulator/rates/latencies.hpp"

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

struct Grid {
  uint64_t workgroups = 0;
  int per_cu = 1;
  WorkAxis axis;
};

struct Schedule {
  double end = 0;    // of the last workgroup
  double clocks = 0; // sum over the workgroups
  size_t places = 0;
};

Schedule schedule_of(std::span<const SampledWorkgroup> samples, const Grid& grid) {
  using Places = std::priority_queue<double, std::vector<double>, std::greater<>>; // when each is free
  const size_t places = size_t{cus_per_chiplet} * static_cast<size_t>(grid.per_cu);
  std::vector<Places> free(chiplets, Places(std::greater<>(), std::vector<double>(places, 0.0)));
  Schedule schedule{.places = chiplets * places};
  for (uint64_t id = 0; id < grid.workgroups; ++id) {
    Places& chiplet = free[id % chiplets];
    const double clocks = clocks_of(samples, grid.axis.place(id)), end = chiplet.top() + clocks;
    chiplet.pop();
    chiplet.push(end);
    schedule.end = std::max(schedule.end, end);
    schedule.clocks += clocks;
  }
  return schedule;
}

} // namespace

GpuTime gpu_time(std::span<const SampledWorkgroup> by_id, uint64_t grid_workgroups, int workgroups_per_cu,
                 WorkAxis axis) {
  const Grid grid{grid_workgroups, workgroups_per_cu, axis};
  const uint64_t kinds = std::min(grid_workgroups, axis.extent);
  std::vector<SampledWorkgroup> samples(by_id.begin(), by_id.end());
  for (SampledWorkgroup& sample : samples) sample.linear_id = axis.place(sample.linear_id);
  const Schedule schedule = schedule_of(samples, grid);
  GpuTime time{.clocks = schedule.end,
               .occupied = schedule.clocks / (schedule.end * static_cast<double>(schedule.places)),
               .sampling_error = {}};
  if (samples.size() >= kinds) time.sampling_error = 0;
  if (samples.size() >= kinds || samples.size() < 3) return time;
  double sum = static_cast<double>(samples.front().clocks + samples.back().clocks);
  double off_line = 0, off_clocks = 0; // squares
  for (size_t i = 1; i + 1 < samples.size(); ++i) {
    const auto clocks = static_cast<double>(samples[i].clocks);
    const double off = clocks - between(samples[i - 1], samples[i + 1], samples[i].linear_id);
    std::vector<SampledWorkgroup> others(samples.begin(), samples.end());
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    const double change = schedule_of(others, grid).end - time.clocks;
    sum += clocks;
    off_line += off * off;
    off_clocks += change * change;
  }
  const auto count = static_cast<double>(samples.size());
  const double of_mean = std::sqrt(off_line / (count - 2) / count) / (sum / count);
  time.sampling_error = std::hypot(of_mean, std::sqrt(off_clocks) / time.clocks);
  return time;
}

} // namespace fmha950::timing
