#include "harness/perf/event_sampler.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <thread>

namespace fmha950::harness {

std::optional<double> hertz_between(const ClockStamp& first, const ClockStamp& second) {
  constexpr uint64_t least_ticks = 100; // one more or less is a percent
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

EventSampler::EventSampler(Plan& plan, CacheFlush* flush) : plan_(plan), flush_(flush) {
  constexpr double seconds_of_sample = 1e-3;
  constexpr double most_runs = 1000;
  if (flush_) return;
  timed_run(); // code comes to the GPU
  runs_ = static_cast<int>(std::clamp(std::ceil(seconds_of_sample / timed_run()), 1.0, most_runs));
}

double EventSampler::timed_run() {
  if (flush_) flush_->overwrite();
  clock_.begin();
  begin_.record();
  for (int run = 0; run < runs_; ++run) plan_.enqueue(nullptr);
  end_.record();
  clock_.end();
  hip::check(hip::api().EventSynchronize(end_.handle), "hipEventSynchronize");
  float milliseconds = 0;
  hip::check(hip::api().EventElapsedTime(&milliseconds, begin_.handle, end_.handle), "hipEventElapsedTime");
  if (!(milliseconds > 0))
    throw DeviceError(fmt::format("hipEventElapsedTime says {} ms for {} runs", milliseconds, runs_));
  return 1e-3 * static_cast<double>(milliseconds) / runs_;
}

Sampler::Sample EventSampler::take() {
  const double seconds = timed_run();
  return {seconds, clock_.hertz()};
}

double EventSampler::wall_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void EventSampler::rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

} // namespace fmha950::harness
