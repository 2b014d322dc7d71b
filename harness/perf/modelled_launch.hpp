#pragma once
// Launches that the cycle model looks at (docs/timing.md): when, which of their workgroups, and what it says of them.

#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fmha950::harness {

// While it lives, launches are modelled: option timing of the embedded device.
class TimingInForce {
 public:
  // Throws InvalidInput on a real GPU, which has no model. Forgets what earlier launches left.
  explicit TimingInForce(const std::string& value) {
    if (!hip::api().Timings)
      throw InvalidInput("device", hip::runtime().device, "the cycle model needs the embedded device");
    hip::api().Timings();
    set_option("timing", value);
  }
  ~TimingInForce() { hip::api().SetOption("timing", "off"); }
  TimingInForce(const TimingInForce&) = delete;
};

// Which workgroups of a grid stand for all of it: the first, the last and as many at equal distances between.
// Workgroups are dispatched in this order, and neighbours have nearly the same work.
inline std::vector<uint32_t> spread(const std::vector<uint32_t>& workgroups, size_t count) {
  if (workgroups.size() <= count) return workgroups;
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(workgroups[count == 1 ? 0 : i * (workgroups.size() - 1) / (count - 1)]);
  return chosen;
}

inline constexpr size_t fewest_samples = 5; // of a launch, unless fewer are asked for

// The timing of the launch just made, or of all since the last call.
inline nlohmann::json timing_of_launch() {
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return nlohmann::json::parse(hip::api().Timings());
}

} // namespace fmha950::harness
