// Wait windows: the device's own rule asks for as many states as their rows say, and what they compute does not depend on it here.
#include "calibration/wait_windows.hpp"
#include "tests/calibration/device_checks.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::calibration;

TEST_CASE("wait windows: too few states are reported, enough are not") {
  for (const WaitWindow& window : wait_windows()) {
    CAPTURE(window.name);
    const WindowRun run(window);
    const std::vector<uint32_t> right = run.lanes(window_states);
    for (int states = 0; states <= window_states; ++states) {
      CAPTURE(states);
      const test::DeviceChecks checks;
      CHECK(run.lanes(static_cast<uint32_t>(states)) == right);
      const std::string findings = checks.findings();
      CAPTURE(findings);
      CHECK((findings != "") == (states < window.required));
    }
  }
  CHECK_THROWS_WITH(WindowRun(wait_windows()[0]).lanes(25), "states = 25: must be at most 24");
}

TEST_CASE("wait windows: a result differs from what was there before") {
  for (const WaitWindow& window : wait_windows()) {
    CAPTURE(window.name);
    const std::vector<uint32_t> lanes = WindowRun(window).lanes(window_states);
    const bool overwritten = window.name == "mfma32_overwritten"; // by 0
    CHECK((lanes[0] == 0) == overwritten);
    CHECK(lanes[0] != 0x3f800000); // 1.0
  }
}
