// Kernels that exchange data between workgroups past a cache that they forgot, and their clean twins, under every
// schedule and order of workgroups.
#include "tests/observe/hazard_device.hpp"

using namespace fmha950;
using observe::HazardClass;

namespace {

struct Forgetful {
  const char* name;
  const char* line; // that the report names
  const char* missing;
  uint32_t (*right)(uint32_t first); // what the second workgroup finds of the first one's
};

uint32_t of_exchange(uint32_t first) { return first + 1; }
uint32_t of_flag(uint32_t) { return 1; }

const Forgetful kernels[] = {
    {"not_written_back", "plain_load", "buffer_wbl2 sc1 and s_waitcnt vmcnt(0) before the flag is set",
     of_exchange},
    {"not_invalidated", "plain_load", "buffer_inv sc1 after the flag is seen", of_exchange},
    {"flag_of_workgroup", "flag_of_workgroup", "sc1 at the load of the flag", of_flag},
    {"scalar_across_workgroups", "scalar_load", "s_dcache_inv after the flag is seen", of_exchange},
    {"scalar_behind_vector", "scalar_load", "s_dcache_inv once the store is complete", of_flag},
};

} // namespace

TEST_CASE("a cache that is left out is reported at its load, the twin that minds it is silent",
          "[visibility]") {
  test::HazardDevice device("visibility_kernels");
  for (const Forgetful& kernel : kernels)
    for (const char* schedule : test::schedules)
      for (const std::vector<uint32_t>& order : {std::vector<uint32_t>{0, 1}, {1, 0}}) {
        const std::string name = kernel.name;
        CAPTURE(name, schedule, order);
        machine::Launch launch = device.launch_of(name + "_bad");
        launch.only = &order;
        const auto reports = device.run(launch, schedule);
        const std::string line = test::marked_line("visibility_kernels.hip", kernel.line);
        INFO(test::text_of(reports));
        CHECK(std::ranges::any_of(reports, [&](const observe::Report& report) {
          return report.type == HazardClass::visibility && report.later.source.ends_with(line) &&
                 report.missing.find(kernel.missing) != std::string::npos;
        }));
        launch = device.launch_of(name + "_good");
        launch.only = &order;
        const auto cured = device.run(launch, schedule);
        INFO(test::text_of(cured));
        CHECK(cured.empty());
      }
}

TEST_CASE("a cache that is left out shows in results: old bytes under lazy, now and then under random",
          "[visibility]") {
  constexpr uint32_t results = 8192; // as in visibility_kernels.hip
  test::HazardDevice device("visibility_kernels");
  for (const Forgetful& kernel : kernels)
    for (const std::vector<uint32_t>& order : {std::vector<uint32_t>{0, 1}, {1, 0}}) {
      const auto result = [&](const char* twin, const std::string& schedule) {
        machine::Launch launch = device.launch_of(std::string(kernel.name) + twin);
        launch.only = &order;
        device.run(launch, schedule.c_str());
        return device.out[results + order[1]];
      };
      CAPTURE(kernel.name, order);
      const uint32_t right = kernel.right(order[0]);
      CHECK(result("_bad", "eager") == right);
      CHECK(result("_bad", "lazy") == 0);
      CHECK(result("_good", "lazy") == right);
      // The cycle model knows when lines come, not what they held before.
      CHECK(result("_bad", "timed") == right);
      CHECK(result("_good", "timed") == right);
      for (const std::string memory : {"random:", "pct:"}) {
        int old = 0;
        for (int seed = 1; seed <= 40; ++seed) {
          const uint32_t found = result("_bad", memory + std::to_string(seed));
          REQUIRE((found == right || found == 0));
          old += found == 0;
          REQUIRE(result("_good", memory + std::to_string(seed)) == right);
        }
        CHECK(old > 5);
        CHECK(old < 35);
      }
    }
}
