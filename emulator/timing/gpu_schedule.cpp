#include "emulator/timing/gpu_schedule.hpp"

#include "emulator/machine/schedule.hpp"

#include <algorithm>
#include <functional>
#include <numbers>
#include <queue>

namespace fmha950::timing {
namespace {

// From -sqrt(3) to sqrt(3), with variance 1: as far as workgroups go that are spread evenly, and no farther, however many
// there are. The same for an id in every run.
double deviate(uint64_t id) {
  const double unit = static_cast<double>(machine::Random(id).next()) * 0x1p-63; // 0 to 2
  return std::numbers::sqrt3 * (unit - 1);
}

} // namespace

GpuSchedule schedule_of(std::span<const SampledWorkgroup> followed, const WorkLine& line, const Grid& grid,
                        const Deviations& deviations) {
  using Places = std::priority_queue<double, std::vector<double>, std::greater<>>; // when each is free
  const size_t places = size_t{cus_per_chiplet} * static_cast<size_t>(grid.per_cu);
  std::vector<Places> free(chiplets, Places(std::greater<>(), std::vector<double>(places, 0.0)));
  GpuSchedule schedule{.places = chiplets * places};
  auto next = followed.begin();
  const auto clocks_of = [&](uint64_t id) {
    if (next != followed.end() && next->linear_id == id) return static_cast<double>((next++)->clocks);
    const uint64_t place = grid.axis.place(id);
    double off = deviations.of_chiplet[id % chiplets];
    if (deviations.spread > 0) off += deviations.spread * deviate(id);
    return std::max(0.0, line.clocks(place) + off * line.unit(place));
  };
  for (uint64_t id = 0; id < grid.workgroups; ++id) {
    Places& chiplet = free[id % chiplets];
    const double clocks = clocks_of(id), end = chiplet.top() + clocks;
    chiplet.pop();
    chiplet.push(end);
    schedule.end = std::max(schedule.end, end);
    schedule.clocks += clocks;
  }
  return schedule;
}

} // namespace fmha950::timing
