// Which barriers may be missing to the waves that end first: a note where groups are staggered, else an error.
#include "tests/observe/hazard_device.hpp"

using namespace fmha950;
using observe::HazardClass;
using observe::Severity;

namespace {

using Reports = std::vector<observe::Report>;

Reports of(const Reports& reports, HazardClass type) {
  Reports found;
  std::ranges::copy_if(reports, std::back_inserter(found),
                       [&](const observe::Report& report) { return report.type == type; });
  return found;
}

// Under every schedule there is one divergence, with that severity, in words that end so.
void check(test::HazardDevice& device, const char* kernel, Severity severity, const std::string& ends) {
  for (const char* schedule : test::schedules) {
    const Reports reports = device.run(kernel, schedule),
                  found = of(reports, HazardClass::barrier_divergence);
    INFO(kernel << " under " << schedule << "\n" << test::text_of(reports));
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == severity);
    CHECK(found[0].what.ends_with(ends));
    CHECK(found[0].count == 2); // one in each workgroup
    CHECK(found[0].earlier.instruction == "s_endpgm");
    CHECK(found[0].later.instruction == "s_barrier");
  }
}

} // namespace

TEST_CASE("barriers: groups of waves that are staggered by one at the start end with a note") {
  test::HazardDevice device("hazard_kernels");
  check(device, "staggered", Severity::note,
        "wave 1 ended after 9 barriers while wave 0 waits at its barrier number 10");
  check(device, "staggered_in_loops_of_their_own", Severity::note,
        "wave 1 ended after 4 barriers while wave 0 waits at its barrier number 5");
  for (const char* kernel : {"staggered", "staggered_in_loops_of_their_own"})
    CHECK(device.run(kernel, "eager").front().missing.ends_with("staggered by one"));
  check(device, "one_sided_barrier", Severity::note, "its barrier number 1");
  CHECK(device.run("staggered_and_balanced", "eager").empty());
}

TEST_CASE("barriers: it is an error where a wave that ended has more than one fewer") {
  test::HazardDevice device("hazard_kernels");
  for (const char* schedule : test::schedules) {
    const Reports found = of(device.run("staggered_by_two", schedule), HazardClass::barrier_divergence);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].what ==
          "wave 1 ended after 4 barriers while wave 0 waits at its barrier number 5: it has 2 fewer");
  }
}

TEST_CASE("barriers: of several waves that a wave leaves behind the one with the most barriers counts") {
  test::HazardDevice device("hazard_kernels");
  for (const char* kernel : {"uneven_turns_435", "uneven_turns_345", "uneven_turns_534"}) {
    machine::Launch launch = device.launch_of(kernel);
    launch.block[0] = 192;
    const Reports found =
        of(device.run(launch, "eager", observe::all_checks), HazardClass::barrier_divergence);
    INFO(kernel << "\n" << test::text_of(found));
    CHECK(std::ranges::any_of(found, [](const observe::Report& report) {
      return report.severity == Severity::error && report.what.ends_with("it has 2 fewer");
    }));
  }
}

TEST_CASE("barriers: it is an error where the one that is missing is not at the start") {
  test::HazardDevice device("hazard_kernels");
  for (const char* kernel : {"lacks_one_in_a_loop", "lacks_one_between_two"})
    check(device, kernel, Severity::error, "the one that it lacks stands between others");
  for (const char* kernel : {"lacks_the_last", "barrier_divergence_bad"})
    check(device, kernel, Severity::error, "it lacks the last one, and no group was a barrier ahead");
}

TEST_CASE("barriers: staggered groups are an error where their accesses to LDS lack an order, too") {
  test::HazardDevice device("hazard_kernels");
  CHECK_FALSE(of(device.run("staggered_without_order", "eager"), HazardClass::lds_order).empty());
  check(device, "staggered_without_order", Severity::error, "accesses to LDS lack an order, too");
  machine::Launch launch = device.launch_of("staggered_without_order"); // nobody looks at LDS
  const Reports alone = device.run(launch, "eager", 1u << static_cast<int>(HazardClass::barrier_divergence));
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].severity == Severity::note);
  launch = device.launch_of("staggered");
  CHECK(device.run(launch, "eager", observe::all_checks | observe::errors_only).empty());
}
