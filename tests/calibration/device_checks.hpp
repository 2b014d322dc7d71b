#pragma once
// The embedded device with all hazard checks on, while it lives.

#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "interface/hip.hpp"

namespace fmha950::test {

class DeviceChecks {
 public:
  explicit DeviceChecks(const std::string& schedule = "eager") {
    harness::take_hazards();
    harness::set_option("check", "all");
    harness::set_option("report", "/dev/null");
    harness::set_option("schedule", schedule);
  }
  ~DeviceChecks() {
    hip::api().SetOption("check", "none");
    hip::api().SetOption("schedule", "eager");
  }
  DeviceChecks(const DeviceChecks&) = delete;
  DeviceChecks& operator=(const DeviceChecks&) = delete;

  // Of all launches since; "" for none.
  std::string findings() const {
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    const auto found = harness::take_findings();
    return found.empty() ? "" : harness::describe(found);
  }
};

} // namespace fmha950::test
