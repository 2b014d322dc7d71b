#include "harness/perf/clock_stamps.hpp"

#include <array>

namespace fmha950::harness {

std::optional<double> hertz_between(const ClockStamp& first, const ClockStamp& second) {
  constexpr uint64_t least_ticks = 100; // of which one more or less is a percent
  if (first.chiplet != second.chiplet || second.clocks <= first.clocks) return std::nullopt;
  if (second.ticks < first.ticks + least_ticks) return std::nullopt;
  return static_cast<double>(second.clocks - first.clocks) / static_cast<double>(second.ticks - first.ticks) *
         ticks_per_second;
}

ClockStamps::ClockStamps()
    : kernel_(hip::load_kernel("perf_clock_stamp", "perf_clock_stamp")), stamps_(2 * sizeof(ClockStamp)) {}

void ClockStamps::stamp(size_t index) {
  ClockStamp* const place = stamps_.as<ClockStamp>() + index;
  hip::launch(kernel_, {1, 1, 1}, {64, 1, 1}, &place, sizeof place, nullptr);
}

std::optional<double> ClockStamps::hertz() const {
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  std::array<ClockStamp, 2> stamps;
  stamps_.download(stamps.data(), sizeof stamps);
  return hertz_between(stamps[0], stamps[1]);
}

} // namespace fmha950::harness
