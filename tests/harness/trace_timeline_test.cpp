// `fmha950 trace --timeline`: a workgroup clock by clock.
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace {

const std::string text = "batch_prefill/h=8:1/sq=32/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=16";

} // namespace

TEST_CASE("trace: a timeline is JSON that Perfetto loads, its rows are what perf says of units and waves") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "timeline.json";
  // The workgroup of two that perf follows alone: how often a maximum grows, which costs VALU, is each one's own.
  const Ran ran = run_fmha950("trace " + text + " --impl fused --workgroup 1 --timeline " + file);
  REQUIRE(ran.exit_code == 0);
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream);
  CHECK_THAT(json["otherData"]["what"].get<std::string>(), Catch::Contains("modelled"));
  std::map<std::pair<int, int>, std::string> rows; // by process and thread
  for (const auto& event : json["traceEvents"])
    if (event["ph"] == "M" && event["name"] == "thread_name")
      rows[{event["pid"], event["tid"]}] = event["args"]["name"];
  std::map<std::string, double> held, spent; // clocks by unit, by reason
  std::set<std::string> categories;
  double lives = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    REQUIRE(event["dur"] > 0);
    const std::string row = rows.at({event["pid"], event["tid"]}), category = event["cat"];
    categories.insert(category);
    if (!row.starts_with("workgroup")) {
      held[row.substr(row.rfind(' ') + 1)] += event["dur"].get<double>();
      continue;
    }
    spent[category == "wait" ? event["name"] : "issue"] += event["dur"].get<double>();
    lives += event["dur"].get<double>();
  }
  CHECK(rows.size() == 4 + 4 * 4 + 3); // waves; four units of each SIMD, three of the CU
  CHECK(categories == std::set<std::string>{"matrix", "valu", "transcendental", "lds", "lds_dma", "vmem",
                                            "scalar", "branch", "wait"});
  // Another run of the same workgroup; where its memory lies may differ, and caches with it.
  const Ran perf = run_fmha950("perf --json --samples 1 " + text + " --impl fused");
  const auto launch = nlohmann::json::parse(perf.out.at(0))["modelled"]["launches"][0];
  const auto clocks = launch["clocks"].get<double>();
  for (const char* unit : {"matrix", "valu", "lds", "vmem", "l2_port"}) {
    CAPTURE(unit);
    const bool of_simd = unit == std::string("matrix") || unit == std::string("valu");
    CHECK(launch["busy"][unit] > 0);
    CHECK(held[unit] / clocks / (of_simd ? 4 : 1) ==
          Approx(launch["busy"][unit].get<double>()).epsilon(0.01));
  }
  for (const auto& [reason, share] : launch["spent"].items()) {
    CAPTURE(reason);
    CHECK(spent[reason] / lives == Approx(share.get<double>()).epsilon(0.01).margin(0.001));
  }
  const Ran nowhere = run_fmha950("trace " + text + " --impl baseline --timeline /no/such/folder/t.json");
  CHECK(nowhere.exit_code != 0);
  const Ran none = run_fmha950("trace " + text + " --impl baseline --source --workgroup 9");
  CHECK(none.exit_code != 0);
  CHECK_THAT(none.err.at(0), Catch::Contains("workgroup = 9"));
}

TEST_CASE("trace: each launch has a timeline of its own, also where a kernel is launched twice") {
  const TemporaryFolder folder;
  // prepass lays out K and V by one kernel, then attends.
  const Ran ran = run_fmha950("trace batch_prefill/h=1:1/sq=32/sk=64/q=fp8/kv=fp8/quant=tensor --impl "
                              "prepass --timeline " +
                              (folder.path() / "tl.json").string());
  INFO(joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  for (const char* name :
       {"tl.relayout_rows_fp8.json", "tl.relayout_rows_fp8.2.json", "tl.attention_forward.json"})
    CHECK(std::filesystem::exists(folder.path() / name));
}
