// `trace --timings`: a program's launches as a trace for ui.perfetto.dev.
#include "harness/perf/launch_timeline.hpp"

#include "harness/perf/modelled_time.hpp"
#include "tests/harness/reported_launches.hpp"

#include <map>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::test;
using nlohmann::json;

namespace {

// Slices in the order of the file, and names of processes and rows.
struct Trace {
  explicit Trace(const std::string& text) {
    const json trace = json::parse(text);
    for (const json& event : trace.at("traceEvents"))
      if (event.at("ph") == "X")
        slices.push_back(event);
      else if (event.at("name") == "process_name")
        processes[event.at("pid")] = event.at("args").at("name");
      else
        rows[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
  }
  std::vector<json> slices;
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> rows;
};

} // namespace

TEST_CASE("launch timeline: launches follow each other, each as long as it is modelled") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  std::vector<LaunchTiming> timings = read_launch_timings(path).timed;
  REQUIRE(timings.size() > 2);
  timings[1].stream = 4;
  std::swap(timings[0], timings[2]); // lines come as launches end: the calls' order is what counts
  const Trace trace(launch_timeline(timings));
  REQUIRE(trace.slices.size() == timings.size());
  CHECK(trace.processes == std::map<int, std::string>{{1, path}});
  CHECK(trace.rows == std::map<std::pair<int, int>, std::string>{{{1, 0}, "stream 0, the null stream"},
                                                                 {{1, 4}, "stream 4"}});
  double end = 0;
  uint64_t last = 0;
  for (const json& slice : trace.slices) {
    const json& arguments = slice.at("args");
    CHECK(slice.at("ts") == end);
    CHECK(slice.at("dur").get<double>() == 1e6 * arguments.at("seconds").get<double>());
    CHECK(slice.at("name") == arguments.at("kernel"));
    CHECK(slice.at("tid") == arguments.at("stream"));
    CHECK(arguments.at("launch") >= last);
    CHECK_FALSE(arguments.at("stalls").empty());
    CHECK(arguments.at("bytes").contains("hbm"));
    end += slice.at("dur").get<double>();
    last = arguments.at("launch");
  }
}

TEST_CASE("launch timeline: each file is a process of its own, which begins at 0") {
  const TemporaryFolder folder;
  const std::string one = reported_launches(folder), other = folder.path() / "other.jsonl";
  std::filesystem::copy(one, other);
  const Trace trace(launch_timeline(read_launch_timings(std::vector{one, other})));
  CHECK(trace.processes == std::map<int, std::string>{{1, one}, {2, other}});
  std::map<int, double> first;
  for (const json& slice : trace.slices) first.try_emplace(slice.at("pid"), slice.at("ts").get<double>());
  CHECK(first == std::map<int, double>{{1, 0}, {2, 0}});
}

TEST_CASE("launch timeline: the command, a line that is cut, and what is refused") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  const std::string whole = folder.read("timings.jsonl");
  folder.write("timings.jsonl", whole + whole.substr(0, whole.size() / 3));
  const std::string output = folder.path() / "tl.json";
  const Ran ran = run_fmha950("trace --timings " + path + " --timeline " + output);
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.empty());
  REQUIRE(ran.err.size() == 2);
  CHECK(ran.err[0] == "note: " + path + ": its last line is cut, and left out");
  CHECK(ran.err[1] == output + ": modelled; open it at ui.perfetto.dev");
  const Trace trace(folder.read("tl.json"));
  CHECK(trace.slices.size() == read_launch_timings(path).timed.size());

  const auto refused = [](const std::string& arguments, const std::string& why) {
    const Ran failed = run_fmha950("trace " + arguments);
    CHECK(failed.exit_code != 0);
    INFO(joined(failed.err));
    CHECK_THAT(joined(failed.err), Catch::Contains(why));
  };
  refused("--timings " + path + " --timeline " + output, "add --overwrite");
  refused("--timings " + path, "--timeline");
  refused("'" + small_problem + "' --timings " + path + " --timeline " + output, "excludes");
  refused("--timings " + path + " --source --timeline " + output, "excludes");
  refused("--timings " + path + " --assume cold --timeline " + output, "FMHA950_TIMING says what");
  refused("", "must be a case string");
  refused("--timings " + folder.write("broken.jsonl", "{}\n").string() + " --timeline " + output,
          "broken.jsonl:1: must be a line of FMHA950_TIMING_REPORT");
  refused("--timings " + folder.write("empty.jsonl", "").string() + " --timeline " + output,
          "must tell of a launch that was timed");
}
