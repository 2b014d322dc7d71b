// Reports: one entry for each pair of locations, its forms, and the suppression file.
#include "emulator/observe/report/report_bundles.hpp"
#include "emulator/observe/report/report_log.hpp"
#include "emulator/observe/report/selected_classes.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

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

Report report(HazardClass type, const std::string& earlier, const std::string& later) {
  Report result;
  result.type = type;
  result.kernel = "copy";
  result.earlier = {true, "ds_write_b32 v1, v2", earlier, 8, 3, 1, -1};
  result.later = {true, "ds_read_b32 v3, v1", later, 24, 3, 2, 17};
  result.what = "LDS \"bytes\" are read";
  result.missing = "a barrier";
  result.begin = 64;
  result.end = 68;
  result.count = 2;
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

TEST_CASE("report log: reports about two opcodes in a kernel are one bundle with all its places") {
  std::vector<Report> reports(3, report(HazardClass::lds_order, "a/copy.hip:12", "a/copy.hip:20"));
  reports[1].later = {true, "ds_read_b32 v9, v8 offset:64", "a/copy.hip:21", 40, 3, 2, 5};
  reports[2].severity = Severity::note;
  reports.push_back(reports[0]);
  reports.back().later.instruction = "ds_read_b64 v[8:9], v1";
  const auto bundles = bundled(reports);
  REQUIRE(bundles.size() == 3);
  CHECK(bundles[0].count == 4);
  REQUIRE(bundles[0].places.size() == 2);
  CHECK(bundles[0].places[1].later == 40);
  CHECK(bundles[0].places[1].later_source == "a/copy.hip:21");
  CHECK(bundles[1].severity == Severity::note);
  const std::string text = as_text(bundles[0]);
  INFO(text);
  CHECK(text.find(
            "places  2, at +0x8 (a/copy.hip:12) -> +0x18 (a/copy.hip:20), +0x8 (a/copy.hip:12) -> +0x28") !=
        std::string::npos);
  CHECK(as_text(bundles[1]).find("hazard lds_order (note): ") == 0);
  const auto value = nlohmann::json::parse(as_json(bundles[0]));
  CHECK(value["severity"] == "error");
  CHECK(value["places"].size() == 2);
  CHECK(value["places"][1]["later"]["source"] == "a/copy.hip:21");
}

TEST_CASE("report log: what the host reads is a report for each place") {
  std::vector<Report> reports(2);
  reports[0].what = "the host reads 4 bytes at offset 0";
  reports[1].what = "the host reads 4 bytes at offset 8";
  CHECK(bundled(reports).size() == 2);
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

TEST_CASE("report log: text names both sides, the bytes and what is missing") {
  const std::string text = as_text(report(HazardClass::lds_order, "a/copy.hip:12", "a/copy.hip:20"));
  for (const char* part :
       {"lds_order", "LDS \"bytes\" are read", "a/copy.hip:12", "a/copy.hip:20", "+0x18 ds_read_b32",
        "wave 2, lane 17", "[0x40, 0x44)", "missing a barrier", "2 times"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("report log: JSON is one parseable line, SARIF has the run's results") {
  const Report one = report(HazardClass::lds_order, "a/copy.hip:12", "a/copy.hip:20");
  const std::string line = as_json(one);
  CHECK(line.find('\n') == std::string::npos);
  const auto value = nlohmann::json::parse(line);
  CHECK(value["hazard"] == "lds_order");
  CHECK(value["earlier"]["source"] == "a/copy.hip:12");
  CHECK(value["later"]["lane"] == 17);
  CHECK(value["bytes"] == nlohmann::json({64, 68}));
  const auto sarif = nlohmann::json::parse(as_sarif({one}));
  CHECK(sarif["version"] == "2.1.0");
  const auto& result = sarif["runs"][0]["results"][0];
  CHECK(result["ruleId"] == "lds_order");
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a/copy.hip");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 20);
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
  CHECK(parse_error("lds_order copy.hip why").find("line 1: location 'copy.hip': must be FILE:LINE") == 0);
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
