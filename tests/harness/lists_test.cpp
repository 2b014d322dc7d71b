// The case lists of data/cases on the embedded device, through the program:
// what the project promises of them.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace {

std::vector<nlohmann::json> records(const Ran& ran) {
  std::vector<nlohmann::json> all;
  for (const std::string& line : ran.out) all.push_back(nlohmann::json::parse(line));
  return all;
}

// A list, or a shard of it, with all hazard checks on.
Ran checked(const std::string& list, const std::string& implementations, const std::string& options) {
  return run_fmha950(fmt::format("accuracy --list {} --impl {} --json {}", list, implementations, options),
                     "FMHA950_CHECK=all");
}
constexpr const char* three_schedules = "--schedules eager,lazy,random:1";

void check_all_passed(const Ran& ran) {
  for (const auto& record : records(ran)) {
    CAPTURE(record["case"], record["reason"], record["reproduce"]);
    CHECK(record["outcome"] == "passed");
  }
  CHECK(ran.exit_code == 0);
}

// Cases that an implementation does not take are skipped.
size_t check_none_failed(const Ran& ran) {
  size_t passed = 0;
  for (const auto& record : records(ran)) {
    CAPTURE(record["case"], record["reason"], record["reproduce"]);
    CHECK((record["outcome"] == "passed" || record["outcome"] == "unsupported"));
    passed += record["outcome"] == "passed";
  }
  CHECK(ran.exit_code == 0);
  return passed;
}

} // namespace

TEST_CASE("prepass-grid: a third of it accurate and bit-identical under five schedules and two thread counts",
          "[slow]") {
  const Ran ran =
      run_fmha950("accuracy --list prepass-grid --shard 1/3 --impl prepass --json "
                  "--schedules eager,lazy,random:1,random:2+random:2,lazy+random:3 --threads 1,2");
  CHECK(ran.out.size() >= 66);
  check_all_passed(ran);
}

TEST_CASE("prepass-grid: a tenth of it also in fdpa arithmetic", "[slow]") {
  const Ran ran =
      run_fmha950("accuracy --list prepass-grid --shard 1/10 --impl prepass --json --mfma fma,fdpa");
  CHECK(ran.out.size() >= 20);
  check_all_passed(ran);
  double largest = 0;
  for (const auto& record : records(ran))
    largest = std::max(largest, record["accuracy"]["mfma_difference"].get<double>());
  CHECK(largest > 0); // the two forms are not the same computation
  WARN("largest difference of outputs between fma and fdpa: " << largest);
}

TEST_CASE("pipelined-grid: half of it accurate, and no hazard with all checks on", "[slow]") {
  const Ran ran = checked("pipelined-grid", "pipelined", "--shard 1/2");
  CHECK(ran.out.size() >= 300);
  check_all_passed(ran);
}

TEST_CASE("pipelined-grid: parts of it on both matrix paths in fdpa arithmetic, bit-identical under three "
          "schedules",
          "[slow]") {
  // The exact sums of fdpa over blocks of 32 products make the f8f6f4 path slow to emulate.
  const std::string which =
      GENERATE(as<std::string>(), "--shard 1/80 --impl pipelined", "--shard 1/20 --impl pipelined_x16");
  const Ran ran = run_fmha950("accuracy --list pipelined-grid " + which +
                              " --json --mfma fma,fdpa --schedules eager,lazy,random:1+random:1");
  CHECK(ran.out.size() >= 8);
  check_all_passed(ran);
}

TEST_CASE("direct-p-grid: accurate, however bytes are rounded, and no hazard with all checks on", "[slow]") {
  const std::string rounding = GENERATE("zero", "nearest");
  const Ran ran = run_fmha950("accuracy --list direct-p-grid --shard 1/2 --impl pipelined_direct_p --json",
                              "FMHA950_CHECK=all FMHA950_BYTE_ROUNDING=" + rounding);
  CHECK(ran.out.size() >= 200);
  check_all_passed(ran);
}

TEST_CASE("gaps: what auto chooses is accurate, two runs and a lazy one have the same bits", "[slow]") {
  const Ran ran = run_fmha950("accuracy --list gaps --impl auto --json --schedules eager,eager,lazy");
  CHECK(ran.out.size() >= 120);
  check_all_passed(ran);
}

TEST_CASE("baseline-grid: a third of it accurate, and no hazard with all checks on", "[slow]") {
  const Ran ran = checked("baseline-grid", "baseline", "--shard 1/3");
  CHECK(ran.out.size() >= 230);
  check_all_passed(ran);
}

TEST_CASE("baseline-grid: a tenth of it also in fdpa arithmetic, bit-identical under three schedules",
          "[slow]") {
  const Ran ran =
      run_fmha950("accuracy --list baseline-grid --shard 1/10 --impl baseline --json --mfma fma,fdpa "
                  "--schedules eager,lazy,random:1+random:1");
  CHECK(ran.out.size() >= 60);
  check_all_passed(ran);
}

TEST_CASE("sink-grid: a third of it on 64 rows a case, accurate, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = run_fmha950("accuracy --list sink-grid --shard 1/3 --impl baseline --json --oracle-rows 64",
                              "FMHA950_CHECK=all");
  CHECK(ran.out.size() >= 130);
  check_all_passed(ran);
}

TEST_CASE("mixed-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("mixed-grid", "baseline", "--shard 20/40");
  CHECK(ran.out.size() >= 6);
  check_all_passed(ran);
}

TEST_CASE("mixed-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("mixed-grid", "baseline", three_schedules);
  CHECK(ran.out.size() >= 260);
  check_all_passed(ran);
}

TEST_CASE("page-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("page-grid", "baseline,prepass", "--shard 20/40");
  CHECK(ran.out.size() >= 10);
  check_none_failed(ran);
}

TEST_CASE("page-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("page-grid", "baseline,prepass", three_schedules);
  CHECK(ran.out.size() >= 2 * 200);
  const auto passed = check_none_failed(ran);
  CHECK(passed >= 250);
}

TEST_CASE("layout-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("layout-grid", "baseline,prepass", "--shard 20/40");
  CHECK(ran.out.size() >= 10);
  check_none_failed(ran);
}

TEST_CASE("layout-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("layout-grid", "baseline,prepass", three_schedules);
  CHECK(ran.out.size() >= 2 * 200);
  const auto passed = check_none_failed(ran);
  CHECK(passed >= 250);
}

TEST_CASE("mla-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("mla-grid", "baseline,prepass", "--shard 11/20");
  CHECK(ran.out.size() >= 14);
  CHECK(check_none_failed(ran) >= 8);
}

TEST_CASE("mla-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("mla-grid", "baseline,prepass", three_schedules);
  CHECK(ran.out.size() >= 2 * 160);
  const auto passed = check_none_failed(ran);
  CHECK(passed >= 220);
}

TEST_CASE("mxfp4-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("mxfp4-grid", "fused_mxfp4", "--shard 11/20");
  CHECK(ran.out.size() >= 8);
  check_all_passed(ran);
}

TEST_CASE("mxfp4-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("mxfp4-grid", "fused_mxfp4", three_schedules);
  CHECK(ran.out.size() >= 160);
  check_all_passed(ran);
}

TEST_CASE("tree-grid: a few of it, accurate, and no hazard with all checks on") {
  const Ran ran = checked("tree-grid", "baseline", "--shard 10/14");
  CHECK(ran.out.size() >= 4);
  check_all_passed(ran);
}

TEST_CASE("tree-grid: accurate, bit-identical under three schedules, and no hazard with all checks on",
          "[slow]") {
  const Ran ran = checked("tree-grid", "baseline", three_schedules);
  CHECK(ran.out.size() >= 60);
  check_all_passed(ran);
}

TEST_CASE("deterministic-grid: what auto chooses is accurate, and no hazard with all checks on", "[slow]") {
  const Ran ran = run_fmha950("accuracy --list deterministic-grid --json", "FMHA950_CHECK=all");
  CHECK(ran.out.size() >= 60);
  check_all_passed(ran);
}

TEST_CASE("append-grid: a third of it, outputs accurate and every byte of the cache right, no hazard with "
          "all checks on",
          "[slow]") {
  const Ran ran = checked("append-grid", "baseline,baseline_two_launch", "--shard 1/3");
  CHECK(ran.out.size() == 2 * 120);
  check_all_passed(ran);
}

TEST_CASE(
    "rope-grid: half of it, outputs accurate and every byte of the cache right, no hazard with all checks on",
    "[slow]") {
  const Ran ran = checked("rope-grid", "baseline,baseline_two_launch", "--shard 1/2");
  CHECK(ran.out.size() == 2 * 64);
  check_all_passed(ran);
}

TEST_CASE("seed-table: pipelined on all rows, baseline on a third of those of one KV head, at full size",
          "[slow]") {
  // The tensors of 40 KV heads take most of the time: baseline runs the rows of 40:40, and most others, only by hand. 32 rows
  // are the fewest that are judged by the rule's narrower limit of the RMSE.
  const auto [which, rows] = GENERATE(table<std::string, size_t>(
      {{"--impl pipelined", size_t{20}}, {"--impl baseline --filter 'h=[0-9]+:1/' --shard 1/3", size_t{6}}}));
  const Ran ran = run_fmha950("accuracy --list seed-table --json --oracle-rows 32 " + which);
  CHECK(ran.out.size() == rows);
  check_all_passed(ran);
  for (const auto& record : records(ran)) CHECK(record["accuracy"]["query_rows"] == 32);
}

TEST_CASE("fused-grid: half of it accurate, and no hazard with all checks on", "[slow]") {
  const Ran ran = checked("fused-grid", "fused", "--shard 1/2");
  CHECK(ran.out.size() >= 250);
  check_all_passed(ran);
}

TEST_CASE("fused-grid: a fortieth of it also in fdpa arithmetic, bit-identical under three schedules",
          "[slow]") {
  const Ran ran = run_fmha950("accuracy --list fused-grid --shard 1/40 --impl fused --json --mfma fma,fdpa "
                              "--schedules eager,lazy,random:1+random:1");
  CHECK(ran.out.size() >= 12);
  check_all_passed(ran);
}

TEST_CASE("sparse-matrix: an eighteenth of the forms of rows and lists is accurate", "[slow]") {
  // The fused kernels take the rows in fp8.
  // Of each implementation a part runs here, of fused and its variants another eighteenth each; all of
  // it by hand (docs/fused_sparse.md).
  const auto [which, cases] =
      GENERATE(table<std::string, size_t>({{"--impl prepass --shard 1/24", size_t{7}},
                                           {"--impl fused --shard 1/18", size_t{6}},
                                           {"--impl fused_software --shard 7/18", size_t{6}},
                                           {"--impl fused_fp8_pv --shard 13/18", size_t{6}}}));
  const std::string rows = which.starts_with("--impl prepass") ? "" : " --filter kv=fp8";
  const Ran ran = run_fmha950("accuracy --list sparse-matrix --json " + which + rows);
  CHECK(ran.out.size() == cases);
  check_all_passed(ran);
}

TEST_CASE("sparse-matrix: a quarter of the lengths around tiles without a hazard, in fdpa arithmetic too, "
          "bit-identical "
          "under three schedules",
          "[slow]") {
  const Ran ran =
      run_fmha950("accuracy --list sparse-matrix --filter 'kv=fp8.*prefix=' --shard 1/4 --json --impl "
                  "prepass,fused,fused_software,fused_fp8_pv --mfma fma,fdpa --schedules "
                  "eager,lazy,random:1+random:1",
                  "FMHA950_CHECK=all");
  CHECK(ran.out.size() == 4 * 2);
  check_all_passed(ran);
}

TEST_CASE("seed-table: its longest rows at full size, on sampled query tiles", "[slow]") {
  const Ran ran = run_fmha950("accuracy --list seed-table --filter sq=131072 --impl prepass --json");
  CHECK(ran.out.size() == 2);
  check_all_passed(ran);
  for (const auto& record : records(ran)) {
    CHECK(record["accuracy"]["restricted"] == true);
    CHECK(record["accuracy"]["total_query_rows"] == 131072);
  }
}

TEST_CASE("demo: every case passes, and results and figure are written", "[slow]") {
  const TemporaryFolder folder;
  const Ran ran = run_fmha950("demo --results " + folder.path().string(), "COLUMNS=80");
  CHECK(ran.exit_code == 0);
  REQUIRE(!ran.out.empty());
  CHECK(ran.out.back().find(" passed, 0 failed, ") != std::string::npos);
  // What ./fmha950 demo says behind it takes nine lines more: all of it is on a screen.
  CHECK(ran.out.size() <= 24);
  for (const std::string& line : ran.out) CHECK(line.size() <= 80);
  // Not every implementation takes every case, but one does, and each takes some.
  std::map<std::string, int> passed;
  std::ifstream results(folder.path() / "demo.jsonl");
  for (std::string line; std::getline(results, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record["outcome"] != "passed") continue;
    ++passed[record["case"]];
    ++passed[record["requested"]];
  }
  for (const std::string& text : run_fmha950("list --list demo").out) {
    CAPTURE(text);
    CHECK(passed[text] >= 1);
  }
  for (const char* name : {"prepass", "baseline", "fused", "pipelined", "pipelined_x16"})
    CHECK(passed[name] >= 2);
  CHECK(std::filesystem::file_size(folder.path() / "demo.png") > 10'000);
}

TEST_CASE("sabotage: what the judges should notice of wrong kernels they notice, on the list for this",
          "[slow]") {
  const Ran ran = run_fmha950("probe --sabotage");
  CHECK(ran.exit_code == 0);
  REQUIRE(!ran.out.empty());
  int caught = 0, missed = -1;
  REQUIRE(std::sscanf(ran.out.back().c_str(), "%d caught, %d missed, ", &caught, &missed) == 2);
  CHECK(caught > 600);
  CHECK(missed == 0);
}

TEST_CASE("merge-grid: accurate under three schedules, and no hazard with all checks on", "[slow]") {
  const Ran ran = checked("merge-grid", "combine", three_schedules);
  CHECK(ran.out.size() >= 180);
  check_all_passed(ran);
}
