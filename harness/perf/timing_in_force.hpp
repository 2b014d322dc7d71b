#pragma once
// While it lives, launches are modelled: option timing of the embedded device (docs/timing.md).

#include "harness/device/device_option.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <string>

namespace fmha950::harness {

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

} // namespace fmha950::harness
