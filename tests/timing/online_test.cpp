// The schedule `timed`: code that relies on latency computes what it does on hardware, code without races what it does under
// every schedule, and hazards are reported all the same.
#include "tests/observe/hazard_device.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using observe::HazardClass;

namespace {

constexpr uint32_t threads = 128, first_value = 1000, data = 4096; // as in latency_kernels.hip

struct Latency {
  const char* name;
  HazardClass hazard;
  const char* wrong_under;
};

const Latency kernels[] = {
    {"lds_read_is_back", HazardClass::register_in_flight, "lazy"},
    {"load_is_back", HazardClass::register_in_flight, "lazy"},
    {"scalar_load_is_back", HazardClass::register_in_flight, "lazy"},
    {"wait_is_a_group_late", HazardClass::register_in_flight, "lazy"},
    {"dma_is_a_group_late", HazardClass::lds_order, "lazy"},
    {"own_refill", HazardClass::lds_order, "eager"},
    {"sibling_refill", HazardClass::lds_order, "eager"},
    {"hand_over_in_lds", HazardClass::lds_order, "eager"},
    {"hand_over_in_memory", HazardClass::memory_order, "eager"},
};

class Runs {
 public:
  // Whether the result is right; what was reported is kept.
  bool is_right(const std::string& kernel, const char* schedule, uint32_t checks = observe::all_checks) {
    machine::Launch launch = device_.launch_of(kernel);
    launch.grid[0] = 1;
    launch.block[0] = threads;
    for (uint32_t i = 0; i < 2 * threads; ++i) device_.out[data + i] = first_value + i;
    reports = device_.run(launch, schedule, checks);
    for (uint32_t i = 0; i < threads; ++i)
      if (device_.out[i] != first_value + i) return false;
    return true;
  }
  std::vector<observe::Report> reports;

 private:
  test::HazardDevice device_{"timing_latency_kernels"};
};

} // namespace

TEST_CASE("timed: kernels that rely on latency are right, elsewhere wrong, and reported everywhere") {
  Runs runs;
  for (const Latency& kernel : kernels) {
    CAPTURE(kernel.name);
    CHECK(runs.is_right(kernel.name, "timed"));
    CHECK(runs.is_right(kernel.name, "timed", 0)); // nobody listens: what may wait is executed later
    CHECK_FALSE(runs.is_right(kernel.name, kernel.wrong_under));
    for (const char* schedule : test::schedules) {
      CAPTURE(schedule);
      runs.is_right(kernel.name, schedule);
      INFO(test::text_of(runs.reports));
      CHECK(std::ranges::any_of(runs.reports,
                                [&](const observe::Report& report) { return report.type == kernel.hazard; }));
    }
  }
}
