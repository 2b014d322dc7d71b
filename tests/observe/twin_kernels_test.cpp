// Faulty kernels are reported at their source line, whatever the schedule and the order of workgroups; their
// clean twins are silent.
#include "tests/observe/hazard_device.hpp"

using namespace fmha950;
using observe::HazardClass;

namespace {

struct Twin {
  const char* name;
  HazardClass type;
  const char* says; // in what is reported
};

const Twin twins[] = {
    {"atomics_beside_a_store", HazardClass::memory_order, "unordered"},
};

} // namespace

TEST_CASE("a faulty kernel is reported at its line, its clean twin is silent") {
  test::HazardDevice device("twin_kernels");
  for (const Twin& twin : twins)
    for (const char* schedule : {"eager", "lazy", "random:1", "random:2,random:3", "pct:1,pct:2"})
      for (const std::vector<uint32_t>& order : {std::vector<uint32_t>{0, 1}, {1, 0}}) {
        const std::string name = twin.name;
        CAPTURE(name, schedule, order);
        machine::Launch launch = device.launch_of(name + "_bad");
        launch.only = &order;
        const auto reports = device.run(launch, schedule);
        const std::string line = test::marked_line("twin_kernels.hip", name);
        INFO(test::text_of(reports));
        CHECK(std::ranges::any_of(reports, [&](const observe::Report& report) {
          return report.type == twin.type && report.what.find(twin.says) != std::string::npos &&
                 (report.earlier.source.ends_with(line) || report.later.source.ends_with(line));
        }));
        launch = device.launch_of(name + "_good");
        launch.only = &order;
        const auto cured = device.run(launch, schedule);
        INFO(test::text_of(cured));
        CHECK(cured.empty());
      }
}
