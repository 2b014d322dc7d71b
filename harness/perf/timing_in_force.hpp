#pragma once
// While it lives, launches are modelled: option timing of the embedded device (docs/timing.md).

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
    hip::check(hip::api().SetOption("timing", value.c_str()), "fmha950SetOption(timing)");
  }
  ~TimingInForce() { hip::api().SetOption("timing", "off"); }
  TimingInForce(const TimingInForce&) = delete;
};

} // namespace fmha950::harness
