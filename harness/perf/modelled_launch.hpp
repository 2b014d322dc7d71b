#pragma once
// Launches that the cycle model looks at (docs/timing.md): when, and what it says of them.

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
    set_option("timing_report", ""); // of the user's environment: lines would go there
    set_option("timing", value);
  }
  ~TimingInForce() { hip::api().SetOption("timing", "off"); }
  TimingInForce(const TimingInForce&) = delete;
};

// The timing of the launch just made, or of all since the last call.
inline nlohmann::json timing_of_launch() {
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return nlohmann::json::parse(hip::api().Timings());
}

} // namespace fmha950::harness
