// What a finding says: text, JSON lines, SARIF; which findings are accepted or known.
#include "emulator/observe/report/baseline.hpp"
#include "emulator/observe/report/suppressions.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950::observe;
using nlohmann::json;

namespace {

Report pair(HazardClass type, uint64_t earlier, uint64_t later) {
  Report result;
  result.type = type;
  result.kernel = "copy";
  result.what = "LDS \"bytes\" are read";
  result.missing = "s_waitcnt vmcnt(0) before the barrier";
  result.begin = 64;
  result.end = 68;
  result.count = 2;
  ReportedParty& first = result.earlier;
  first.present = true;
  first.instruction = "global_load_lds_dword v[2:3], off";
  first.source = "a/copy.hip:12";
  first.symbol = "copy";
  first.offset = earlier;
  first.workgroup = 3;
  first.wave = 1;
  first.frames = {{"stage", "a/copy.hip:12"}, {"copy", "a/copy.hip:40"}};
  ReportedParty& second = result.later;
  second.present = true;
  second.instruction = "ds_read_b32 v3, v1";
  second.source = "a/copy.hip:20";
  second.symbol = "copy";
  second.offset = later;
  second.workgroup = 3;
  second.wave = 2;
  second.lane = 17;
  second.frames = {{"copy", "a/copy.hip:20"}};
  second.phase = "loop 1 from +0x10, behind the last barrier, +0x18";
  result.between = {{12, 20}};
  return result;
}

std::vector<Report> two_pairs() {
  std::vector<Report> reports = {pair(HazardClass::lds_order, 8, 24), pair(HazardClass::memory_order, 8, 32)};
  reports[1].count = 3;
  return reports;
}

std::string parse_error(const std::string& text) {
  Baseline baseline;
  std::string error;
  CHECK_FALSE(Baseline::parse(text, baseline, error));
  return error;
}

} // namespace

TEST_CASE("finding: text names both sides, where they are, what is missing, and how much of it there is") {
  const auto findings = findings_of(two_pairs());
  REQUIRE(findings.size() == 1);
  const std::string text = as_text(findings[0]);
  INFO(text);
  for (const char* part :
       {"hazard memory_order: LDS \"bytes\" are read\n  kernel  copy\n  earlier a/copy.hip:12\n",
        "          stage is inlined at a/copy.hip:40\n",
        "          copy+0x8 global_load_lds_dword v[2:3], off  (workgroup 3, wave 1)\n",
        "          copy+0x20 ds_read_b32 v3, v1  (workgroup 3, wave 2, lane 17)\n",
        "          loop 1 from +0x10, behind the last barrier, +0x18\n", "  bytes   [0x40, 0x44)\n",
        "  missing s_waitcnt vmcnt(0) before the barrier\n",
        "  pairs   2: 1 lds_order, 1 memory_order\n          copy+0x8 -> copy+0x18 to +0x20\n",
        "  seen    5 times\n"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("finding: an error shows a finding before a warning, a reason before what came of it") {
  std::vector<Report> reports = two_pairs();
  reports[1].severity = Severity::warning;
  Report effect = pair(HazardClass::uninitialised, 24, 60);
  effect.missing = "";
  effect.between = {};
  effect.count = 100;
  reports.push_back(effect);
  reports[0].what = "ds_read_b32 reads LDS bytes that global_load_lds_dword writes, unordered";
  const auto findings = findings_of(reports);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].strongest.type == HazardClass::lds_order);
  CHECK(findings[0].count == 105);
  CHECK(findings[0].pairs.size() == 3);
}

TEST_CASE("finding: findings come by severity, then by first sight, and what the host reads is one each") {
  std::vector<Report> reports(3);
  reports[0].what = "the host reads 4 bytes at offset 0";
  reports[0].severity = Severity::note;
  reports[1].what = "the host reads 4 bytes at offset 8";
  reports[2] = pair(HazardClass::lds_order, 8, 24);
  const auto findings = findings_of(reports);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].strongest.what == reports[1].what);
  CHECK(findings[1].strongest.kernel == "copy");
  CHECK(findings[2].strongest.severity == Severity::note);
  CHECK(findings[0].cause == "the host: register_in_flight: the host reads 4 bytes at offset 8");
}

TEST_CASE("finding: kernels of one name in two code objects have findings of their own") {
  std::vector<Report> reports = two_pairs();
  REQUIRE(findings_of(reports).size() == 1);
  reports[1].code = 1;
  CHECK(findings_of(reports).size() == 2);
}

TEST_CASE("finding: JSON is one parseable line with all pairs, SARIF has a result for each finding") {
  const auto findings = findings_of(two_pairs());
  const std::string line = as_json(findings[0]);
  CHECK(line.find('\n') == std::string::npos);
  const json value = json::parse(line);
  CHECK(value["schema"] == findings_schema);
  CHECK(value["hazard"] == "memory_order");
  CHECK(value["cause"] == "copy: vmcnt: a/copy.hip:12 -> a/copy.hip:20");
  CHECK(value["earlier"]["frames"][1] == json{{"function", "copy"}, {"source", "a/copy.hip:40"}});
  CHECK(value["later"]["lane"] == 17);
  CHECK(value["later"]["symbol"] == "copy");
  CHECK(value["bytes"] == json({64, 68}));
  CHECK(value["count"] == 5);
  REQUIRE(value["pairs"].size() == 2);
  CHECK(value["pairs"][0]["hazard"] == "lds_order");
  CHECK(value["pairs"][1]["later"]["offset"] == 32);
  CHECK(json::parse(as_json(findings[0].pairs[0], "why"))["cause"] == "why");
  const json sarif = json::parse(as_sarif(findings));
  CHECK(sarif["version"] == "2.1.0");
  CHECK(sarif["runs"][0]["properties"]["schema"] == findings_schema);
  REQUIRE(sarif["runs"][0]["results"].size() == 1);
  const json& result = sarif["runs"][0]["results"][0];
  CHECK(result["ruleId"] == "memory_order");
  CHECK(result["occurrenceCount"] == 5);
  CHECK(result["partialFingerprints"]["cause"] == value["cause"]);
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a/copy.hip");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 20);
  CHECK(result["locations"][0]["logicalLocations"][0]["name"] == "copy");
}

TEST_CASE(
    "finding: a suppression accepts all of it, by a pair of its severity, also where that was inlined") {
  const auto findings = findings_of(two_pairs());
  const auto accepted = [&](const char* line, const Finding& finding) {
    Suppressions suppressions;
    std::string error;
    REQUIRE(Suppressions::parse(line, suppressions, error));
    return suppressions.match(finding);
  };
  CHECK(accepted("lds_order copy.hip:20 latency", findings[0]));
  CHECK(accepted("* copy.hip:40 latency", findings[0]));
  CHECK_FALSE(accepted("wait_states copy.hip:20 latency", findings[0]));
  CHECK_FALSE(accepted("* copy.hip:21 latency", findings[0]));
  CHECK(accepted("* copy+0x18 latency", findings[0]));
  CHECK_FALSE(accepted("* copy+0x1c latency", findings[0]));
  CHECK_FALSE(accepted("* opy+0x18 latency", findings[0]));
  auto reports = two_pairs();
  reports[0].severity = Severity::note;
  CHECK_FALSE(accepted("lds_order copy.hip:20 a note", findings_of(reports)[0]));
  CHECK(accepted("memory_order copy.hip:20 the error", findings_of(reports)[0]));
}

namespace {

bool knows(const Baseline& baseline, std::vector<Finding> findings) {
  baseline.accept(findings);
  return std::ranges::all_of(findings, &Finding::accepted);
}

} // namespace

TEST_CASE("finding: a baseline knows what an earlier report file has, by any of its pairs") {
  const auto findings = findings_of(two_pairs());
  Baseline baseline;
  std::string error;
  REQUIRE(Baseline::parse(as_json(findings[0]) + "\n\n", baseline, error));
  CHECK(knows(baseline, findings));
  auto reports = two_pairs();
  reports[0].later.source = "a/copy.hip:21"; // seen for the first time, beside one that is known
  CHECK(knows(baseline, findings_of(reports)));
  reports[1].later.source = "a/copy.hip:21";
  CHECK_FALSE(knows(baseline, findings_of(reports)));
  reports = two_pairs();
  for (Report& report : reports) report.missing = "a barrier";
  CHECK_FALSE(knows(baseline, findings_of(reports)));
  auto as_note = findings;
  as_note[0].pairs[0].severity = as_note[0].pairs[1].severity = Severity::note;
  REQUIRE(Baseline::parse(as_json(as_note[0]), baseline, error));
  CHECK_FALSE(knows(baseline, findings)); // what was a note is an error now

  CHECK(parse_error("x").find("line 1: must be a finding of schema 2") == 0);
  CHECK(parse_error("\n{\"schema\": 1, \"pairs\": []}").find("line 2: must be a finding of schema 2") == 0);
  CHECK(parse_error("{\"schema\": 2, \"pairs\": []}") == "line 1: a finding must have a cause");
  CHECK(parse_error("{\"schema\": 2, \"cause\": \"\", \"pairs\": [{\"cause\": 1}]}") ==
        "line 1: pairs must have a severity and a cause");
}

TEST_CASE("finding: of two mistakes on one line a baseline that has one knows one") {
  auto two = findings_of(two_pairs());
  two.push_back(two[0]);
  Baseline baseline;
  std::string error;
  REQUIRE(Baseline::parse(as_json(two[0]), baseline, error));
  std::vector<Finding> now = two;
  baseline.accept(now);
  CHECK(now[0].accepted);
  CHECK_FALSE(now[1].accepted);
  // One that several lines tell, as more of it was seen later, stands for one; two with causes of their own for two.
  REQUIRE(Baseline::parse(as_json(two[0]) + "\n" + as_json(two[0]), baseline, error));
  CHECK_FALSE(knows(baseline, two));
  two[1].cause += " #2";
  REQUIRE(Baseline::parse(as_json(two[0]) + "\n" + as_json(two[1]), baseline, error));
  CHECK(knows(baseline, two));
}
