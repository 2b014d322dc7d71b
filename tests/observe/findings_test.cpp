// A planted fault is one finding, however many reports it has, and two are two: with line information and without, under
// every schedule.
#include "emulator/observe/report/finding.hpp"
#include "tests/observe/hazard_device.hpp"
#include "tests/observe/planted_names.hpp"

#include <numeric>

using namespace fmha950;
using observe::Finding;

namespace {

std::vector<const char*> single_faults() {
  std::vector<const char*> names(std::begin(planted_registers), std::end(planted_registers));
  names.push_back("loaded_by_callee");
  return names;
}
const char* const double_faults[] = {"one_after_the_other", "of_same_functions", "two_products",
                                     "two_loops",           "around_one_tile",   "two_barriers",
                                     "two_counters",        "wait_and_states",   "both_groups"};

// Of one kernel, which must be as many as expected; how many reports they are.
size_t check_findings(test::HazardDevice& device, const std::string& kernel, size_t expected) {
  size_t most = 0;
  for (const char* schedule : test::schedules) {
    const auto reports = device.run(kernel, schedule);
    const std::vector<Finding> findings = observe::findings_of(reports);
    std::string text;
    size_t pairs = 0;
    uint64_t count = 0;
    for (const Finding& finding : findings) {
      text += as_text(finding) + finding.cause + "\n";
      pairs += finding.pairs.size();
      count += finding.count;
    }
    INFO(kernel << " under " << schedule << "\n" << text);
    CHECK(findings.size() == expected);
    CHECK(pairs == reports.size());
    CHECK(count == std::accumulate(reports.begin(), reports.end(), uint64_t{0},
                                   [](uint64_t sum, const auto& report) { return sum + report.count; }));
    most = std::max(most, reports.size());
  }
  return most;
}

} // namespace

TEST_CASE("findings: a missing wait or s_nop is one, its cure none") {
  for (const char* object : {"planted_kernels", "planted_kernels_without_lines"}) {
    test::HazardDevice device(object);
    size_t reports = 0;
    for (const std::string name : single_faults()) {
      INFO(object);
      check_findings(device, name + "_good", 0);
      reports += check_findings(device, name + "_bad", 1);
    }
    CHECK(reports > 3 * single_faults().size()); // else there is nothing to bring together
  }
}

TEST_CASE("findings: a missing barrier, or a wait before one, is one, its cure none") {
  for (const char* object : {"planted_orders", "planted_orders_without_lines"}) {
    test::HazardDevice device(object);
    size_t reports = 0;
    for (const std::string name : planted_orders) {
      INFO(object);
      check_findings(device, name + "_good", 0);
      reports += check_findings(device, name + "_bad", 1);
    }
    CHECK(reports > 3 * std::size(planted_orders));
  }
}

TEST_CASE("findings: what is missing in a called function is one, its cure none") {
  for (const char* object : {"planted_calls", "planted_calls_without_lines"}) {
    test::HazardDevice device(object);
    for (const std::string name : planted_calls) {
      INFO(object);
      check_findings(device, name + "_good", 0);
      check_findings(device, name + "_bad", 1);
    }
  }
}

TEST_CASE("findings: two faults are two, each of them one") {
  for (const char* object : {"planted_pairs", "planted_pairs_without_lines"}) {
    test::HazardDevice device(object);
    for (const std::string name : double_faults) {
      INFO(object);
      check_findings(device, name + "_good", 0);
      check_findings(device, name + "_first", 1);
      check_findings(device, name + "_second", 1);
      check_findings(device, name + "_both", 2);
    }
  }
}

TEST_CASE("findings: a side says what it was inlined into, and where in the kernel it stands") {
  test::HazardDevice device("planted_kernels");
  const auto inlined = observe::findings_of(device.run("inlined_thrice_bad", "eager"));
  REQUIRE(inlined.size() == 1);
  const observe::ReportedParty& load = inlined[0].strongest.earlier;
  REQUIRE(load.frames.size() == 4); // load, loaded_and_added, the template, the kernel
  CHECK(load.frames[0].function.find("load") == 0);
  CHECK(load.frames[1].function.find("loaded_and_added") == 0);
  CHECK(load.frames[0].source == load.source);
  CHECK(load.frames[3].function == "inlined_thrice_bad");
  CHECK(load.symbol == "inlined_thrice_bad");
  CHECK(load.phase == "no barriers");
  const auto called = observe::findings_of(device.run("loaded_by_callee_bad", "eager"));
  REQUIRE(called.size() == 1);
  CHECK(called[0].strongest.earlier.symbol.find("loaded_by") != std::string::npos);
  CHECK(called[0].strongest.earlier.symbol != "loaded_by_callee_bad");
  CHECK(called[0].strongest.earlier.offset < 64); // from the function, which may lie before the kernel
  CHECK(called[0].strongest.later.symbol == "loaded_by_callee_bad");
  test::HazardDevice orders("planted_orders");
  const auto tile = observe::findings_of(orders.run("loaded_tile_bad", "eager"));
  REQUIRE(tile.size() == 1);
  CHECK(tile[0].strongest.earlier.loop == "loop 1");
  CHECK(tile[0].strongest.later.phase.find("loop 1 from +0x") == 0);
  CHECK(tile[0].strongest.later.phase.find(", between the barriers at +0x") != std::string::npos);
}
