// `device timings`: files of FMHA950_TIMING_REPORT, read and shown.
#include "harness/perf/launch_timings.hpp"

#include "emulator/timing/assumption_words.hpp"
#include "interface/error.hpp"
#include "tests/harness/reported_launches.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::test;

namespace {

std::string written(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.path() / "written.jsonl";
  std::ofstream(path) << text;
  return path;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("launch timings: a report has each launch with its interval, FLOPs and stalls") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  const LaunchTimings read = read_launch_timings(path);
  CHECK_FALSE(read.cut);
  const std::vector<LaunchTiming>& timings = read.timed;
  REQUIRE_FALSE(timings.empty());
  for (const LaunchTiming& timing : timings) {
    const Range seconds = seconds_of(timing.modelled);
    CHECK(seconds.low <= seconds.best); // at the highest clock no law makes it shorter
    CHECK(seconds.best < seconds.high);
    CHECK(timing.all_executed);
    CHECK(timing.file == path);
    CHECK(timing.stream == 0);
    CHECK_FALSE(timing.stalls.empty());
    CHECK(timing.launch().assumed.size() == timing::open_questions.size());
  }
  // Two heads, 128 x 192 scores in whole tiles of 128 x 64, of which the kernel may skip none: two products of 128.
  const auto attention =
      std::ranges::find_if(timings, [](const LaunchTiming& timing) { return timing.modelled.flops > 0; });
  REQUIRE(attention != timings.end());
  const double tile = 2.0 * 2 * 128;
  CHECK(attention->modelled.flops >= 2 * 65 * 129 * tile);
  CHECK(attention->modelled.flops <= 2 * 256 * 256 * tile);
}

TEST_CASE("launch timings: the table, its lines of JSON, and kernels by name") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  const Ran table = run_fmha950("device timings " + path);
  CHECK(table.exit_code == 0);
  CHECK_THAT(joined(table.out), Catch::Contains("modelled: ") && Catch::Contains("workgroups followed"));
  const Ran lines = run_fmha950("device timings --json --kernel 'attention*' " + path);
  CHECK(lines.exit_code == 0);
  REQUIRE_FALSE(lines.out.empty());
  for (const std::string& line : lines.out) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json.at("kernel").get<std::string>().starts_with("attention"));
    CHECK(json.at("seconds_high") > json.at("seconds"));
    CHECK(json.at("executed") == "all");
  }
  const Ran none = run_fmha950("device timings --kernel nosuch " + path);
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err.back(), Catch::Contains("must be the name of a kernel that was launched"));
}

TEST_CASE("launch timings: broken files are refused by line, and a line that is cut is said") {
  const TemporaryFolder folder;
  const std::string whole = text_of(reported_launches(folder));
  CHECK_THROWS_WITH(read_launch_timings("/no/such/file"), Catch::Contains("cannot be read"));
  CHECK_THROWS_WITH(read_launch_timings("/"), Catch::Contains("is a folder"));
  for (const char* broken : {"nonsense\n", "{}\n", "[1]\n", "{\"runs\":[]}\n", "null\n"}) {
    CAPTURE(broken);
    CHECK_THROWS_WITH(read_launch_timings(written(folder, whole + broken)),
                      Catch::Contains("must be a line of FMHA950_TIMING_REPORT"));
  }
  const LaunchTimings all = read_launch_timings(written(folder, whole));
  CHECK_FALSE(all.cut);
  const LaunchTimings more = read_launch_timings(written(folder, whole + whole.substr(0, whole.size() / 3)));
  CHECK(more.timed.size() >= all.timed.size());
  CHECK(more.cut);
  const Ran none = run_fmha950("device timings " + written(folder, ""));
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err.back(), Catch::Contains("must tell of a launch that was timed"));
}

TEST_CASE("launch timings: FLOPs are those of all workgroups, and clocks those of perf") {
  const TemporaryFolder folder;
  const std::string problem = "batch_prefill/h=6:1/sq=512/sk=512/d=128/q=fp8/kv=fp8/quant=tensor";
  const auto report = [&](const std::string& name, const std::string& words) {
    const std::string path = folder.path() / name;
    const Ran ran = run_fmha950("run '" + problem + "' --impl pipelined --no-isolate",
                                "FMHA950_TIMING_REPORT=" + path + words);
    REQUIRE(ran.exit_code == 0);
    return read_launch_timings(path).timed;
  };
  const auto some = report("some.jsonl", ""), all = report("all.jsonl", " FMHA950_TIMING=samples");
  REQUIRE(some.size() == all.size());
  for (size_t i = 0; i < some.size(); ++i) {
    CHECK(some[i].modelled.flops == all[i].modelled.flops);
    CHECK(all[i].launch().assumed.size() == timing::open_questions.size());
  }
  // perf does its own: the variable takes nothing from it.
  const std::string path = folder.path() / "perf.jsonl";
  const Ran perf = run_fmha950("perf '" + problem + "' --impl pipelined --samples 65 --json",
                               "FMHA950_TIMING_REPORT=" + path);
  REQUIRE(perf.exit_code == 0);
  const auto launches = nlohmann::json::parse(perf.out.front()).at("modelled").at("launches");
  REQUIRE(launches.size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) CHECK(launches[i].at("clocks") == all[i].launch().clocks);
}
