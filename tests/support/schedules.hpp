#pragma once
// The schedules under which a check of kernels holds, and a launch under any of them, `timed` included.

#include "emulator/machine/launch.hpp"
#include "emulator/timing/assumed.hpp"
#include "emulator/timing/online/cu_pacer.hpp"

#include <optional>

namespace fmha950::test {

// Every order of memory and of waves.
inline constexpr const char* schedules[] = {"eager",
                                            "lazy",
                                            "timed",
                                            "random:1",
                                            "random:2",
                                            "random:3",
                                            "random:2,random:3",
                                            "pct:1,pct:2",
                                            "pct:3",
                                            "lazy,pct:4",
                                            "lazy,starve:0",
                                            "lazy,starve:1",
                                            "eager,random:9"};
// Each order of memory once: for a wave that is alone, where there is much to try.
inline constexpr const char* memory_orders[] = {"eager", "lazy", "timed", "random:5", "pct:5"};

// The cycle model of a launch under `timed`, as the device makes it (emulator/hip/runtime.cpp); none else. Of a launch that
// stays where it is.
class ScheduledPacer {
 public:
  explicit ScheduledPacer(machine::Launch& launch) : launch_(launch) {
    if (launch.options.schedule.memory == machine::MemoryOrder::timed)
      launch.pacer = &pacers_.emplace(
          launch, timing::assumed(launch.options.assumed).value_or(timing::Assumptions()), [] {});
  }
  ~ScheduledPacer() { launch_.pacer = nullptr; }
  ScheduledPacer(const ScheduledPacer&) = delete;

 private:
  machine::Launch& launch_;
  std::optional<timing::CuPacers> pacers_;
};

} // namespace fmha950::test
