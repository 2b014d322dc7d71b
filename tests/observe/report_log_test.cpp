// Reports: one entry for each pair of locations, and the suppression file.
#include "emulator/observe/report/report_log.hpp"
#include "emulator/observe/report/selected_classes.hpp"
#include "emulator/observe/report/suppressions.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::observe;

namespace {

Hazard hazard(HazardClass type, uint64_t earlier, uint64_t later) {
  Hazard result;
  result.type = type;
  result.earlier.address = earlier;
  result.later.address = later;
  result.what = "bytes are read";
  result.missing = "a barrier";
  return result;
}

std::string parse_error(const char* text) {
  Suppressions suppressions;
  std::string error;
  CHECK_FALSE(Suppressions::parse(text, suppressions, error));
  return error;
}

} // namespace

TEST_CASE("report log: a pair of locations is one entry with a count") {
  ReportLog log;
  log.report(hazard(HazardClass::lds_order, 16, 32));
  log.report(hazard(HazardClass::lds_order, 16, 32));
  log.report(hazard(HazardClass::lds_order, 16, 40));
  log.report(hazard(HazardClass::register_in_flight, 16, 32));
  REQUIRE(log.reports().size() == 3);
  CHECK(log.reports()[0].count == 2);
  CHECK(log.reports()[1].count == 1);
  log.clear();
  CHECK(log.reports().empty());
}

TEST_CASE("report log: severities that are not asked for are left out") {
  ReportLog log;
  for (const uint32_t checks : {all_checks, all_checks | errors_only}) {
    log.clear();
    SelectedClasses selected(checks, log);
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      Hazard one = hazard(HazardClass::lds_order, 16, 32);
      one.severity = severity;
      selected.report(one);
    }
    REQUIRE(log.reports().size() == (checks == all_checks ? 3 : 1));
    CHECK(log.reports()[0].severity == Severity::error);
  }
}

TEST_CASE("suppressions: a class, a location, a reason") {
  Suppressions suppressions;
  std::string error;
  REQUIRE(Suppressions::parse("# accepted\n\nlds_order copy.hip:20 same value twice\n* flag.hip:3 a flag\n",
                              suppressions, error));
  CHECK(suppressions.match(HazardClass::lds_order, "a/copy.hip:20"));
  CHECK_FALSE(suppressions.match(HazardClass::memory_order, "a/copy.hip:20"));
  CHECK_FALSE(suppressions.match(HazardClass::lds_order, "a/copy.hip:2"));
  CHECK_FALSE(suppressions.match(HazardClass::lds_order, "a/mycopy.hip:20"));
  CHECK(suppressions.match(HazardClass::runaway, "flag.hip:3"));
  CHECK(parse_error("lds_order copy.hip:20").find("line 1: a suppression needs a reason") == 0);
  CHECK(parse_error("\nlds copy.hip:20 why").find("line 2: class 'lds': must be all, none or") == 0);
  CHECK(parse_error("lds_order copy.hip why")
            .find("line 1: location 'copy.hip': must be FILE:LINE or SYMBOL+0xOFFSET") == 0);
}

TEST_CASE("checks: all, none, or names") {
  uint32_t checks = 0;
  std::string error;
  REQUIRE(parse_checks("lds_order,wait_states", checks, error));
  CHECK(includes(checks, HazardClass::lds_order));
  CHECK(includes(checks, HazardClass::wait_states));
  CHECK_FALSE(includes(checks, HazardClass::runaway));
  REQUIRE(parse_checks("all", checks, error));
  CHECK(checks == all_checks);
  REQUIRE(parse_checks("errors", checks, error));
  CHECK(checks == (all_checks | errors_only));
  REQUIRE(parse_checks("lds_order,errors", checks, error));
  CHECK(checks == (1u << static_cast<int>(HazardClass::lds_order) | errors_only));
  REQUIRE(parse_checks("none", checks, error));
  CHECK(checks == 0);
  for (const char* text : {"", "lds", "lds_order,", ",", "all,,"}) {
    INFO(text);
    CHECK_FALSE(parse_checks(text, checks, error));
    CHECK(error.find("must be all, none or a comma-separated list of register_in_flight") == 0);
  }
}
