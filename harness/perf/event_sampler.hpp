#pragma once
// A sample by HIP's events: runs of a planned case between two of them, on the null stream, and the clock of
// the compute units meanwhile.

#include "harness/perf/measure_series.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace fmha950::harness {

struct ClockStamp { // as clock_stamp.hip writes it
  uint64_t clocks = 0, ticks = 0, chiplet = 0;
};
inline constexpr double ticks_per_second = 100e6; // of s_memrealtime: machine_gfx950.md section 1.2 [D]

// None if the two are of different chiplets, whose counters are not the same, or too near each other.
std::optional<double> hertz_between(const ClockStamp& first, const ClockStamp& second);

// The mean clock of the compute units between two moments of a stream, as nvbench measures it: a kernel of
// one wave before and after reads a counter of clocks and one of constant rate.
class ClockStamps {
 public:
  ClockStamps();
  void begin() { stamp(0); }
  void end() { stamp(1); }
  std::optional<double> hertz() const; // waits for the device

 private:
  void stamp(size_t index);
  hip::Kernel kernel_;
  hip::Buffer stamps_;
};

// Empties the GPU's caches of what a kernel could still find there.
class CacheFlush {
 public:
  CacheFlush() : buffer_(bytes) {}
  // In the order of the null stream: what is launched next finds only this buffer's bytes.
  void overwrite() { buffer_.fill(0); }

 private:
  // Twice the last-level cache of 256 MiB (machine_gfx950.md section 6.1 [D]),
  // whose replacement is not known.
  static constexpr size_t bytes = size_t{512} << 20;
  hip::Buffer buffer_;
};

class EventSampler final : public Sampler {
 public:
  // With `flush` the caches are emptied before each sample, which then is one run; without it a sample is as
  // many runs, one after the other, as take a millisecond: the events' own cost does not count then, nor what
  // the host takes to launch.
  EventSampler(Plan& plan, CacheFlush* flush);
  Sample take() override;
  int runs() const override { return runs_; }
  double wall_seconds() const override;
  void rest(double seconds) override;

 private:
  struct Event {
    Event() { hip::check(hip::api().EventCreate(&handle), "hipEventCreate"); }
    ~Event() { hip::api().EventDestroy(handle); }
    Event(const Event&) = delete;
    void record() { hip::check(hip::api().EventRecord(handle, nullptr), "hipEventRecord"); }
    hip::Event handle = nullptr;
  };
  double timed_run();

  Plan& plan_;
  CacheFlush* flush_;
  ClockStamps clock_;
  Event begin_, end_;
  int runs_ = 1;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

} // namespace fmha950::harness
