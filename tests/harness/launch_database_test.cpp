// `./fmha950 results launches`: modelled launches of programs as a table.
#include "harness/perf/launch_timings.hpp"
#include "tests/harness/python.hpp"
#include "tests/harness/reported_launches.hpp"

#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::test;

namespace {

Finished results_launches(const std::string& arguments) {
  return analysis("results_launches.py " FMHA950_HARNESS " " + arguments);
}

bool has(const Finished& finished, const std::string& text) {
  INFO(finished.output);
  return finished.output.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("results launches: a row for each launch, with what the harness says of it", "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  const std::vector<LaunchTiming> timings = read_launch_timings(path).timed;
  const Finished shown = results_launches(path + " --columns kernel,launch,stream,clocks,grid,file --csv");
  CHECK(shown.status == 0);
  CHECK(has(shown, "kernel,launch,stream,clocks,grid,file\n"));
  for (const LaunchTiming& timing : timings)
    CHECK_THAT(shown.output, Catch::Contains(fmt::format("{},{},0,{}", timing.launch().kernel, timing.number,
                                                         static_cast<uint64_t>(timing.launch().clocks))));
  const Finished grouped = results_launches(path + " --group-by kernel --columns bytes_hbm,matrix_flops");
  CHECK(has(grouped, "mean bytes_hbm"));
  CHECK(has(grouped, fmt::format("modelled: {} launches of ", timings.size())));
  CHECK(has(results_launches(path + " --columns all"), "\nseconds_high\n"));
  CHECK(has(results_launches(path + " --where \"kernel = 'nosuch'\""),
            "modelled: 0 launches of 0 kernels, 0.00 us"));
}

TEST_CASE("results launches: a file that is read again takes its old place, others stay", "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string one = reported_launches(folder), two = folder.path() / "two.jsonl";
  const std::string text = folder.read("timings.jsonl");
  folder.write("two.jsonl", text);
  const size_t count = read_launch_timings(one).timed.size();
  const std::string database = folder.path() / "l.sqlite", to = " --to " + database;
  CHECK(has(results_launches(one + to), fmt::format("{}: {} launches\n", one, count)));
  CHECK(has(results_launches(two + to), fmt::format("modelled: {} launches of ", 2 * count)));
  folder.write("timings.jsonl", text.substr(0, text.find('\n') + 1)); // a program that launched once
  const Finished again = results_launches(one + to);
  CHECK(has(again, fmt::format("{}: 1 launches, in place of {}\n", one, count)));
  CHECK(has(again, fmt::format("modelled: {} launches of ", count + 1)));
  // A database is read as a file is, beside results of cases too.
  const std::string other = folder.path() / "other.sqlite";
  CHECK(has(results_launches(database + " --to " + other),
            fmt::format("modelled: {} launches of ", count + 1)));
  CHECK(has(analysis("results.py " + database), "0 passed, 0 failed, 0 skipped"));
  CHECK(has(results_launches(database + " --where \"file like '%two.jsonl'\""),
            fmt::format("modelled: {} launches of ", count)));
}

TEST_CASE("results launches: a line that is cut is said, and broken files change nothing", "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder), text = folder.read("timings.jsonl");
  const size_t count = read_launch_timings(path).timed.size();
  folder.write("timings.jsonl", text + text.substr(0, text.size() / 3));
  const size_t whole = read_launch_timings(path).timed.size();
  CHECK(whole >= count);
  const std::string to = " --to " + (folder.path() / "l.sqlite").string();
  const Finished cut = results_launches(path + to);
  CHECK(cut.status == 0);
  CHECK(has(cut, "note: " + path + ": its last line is cut, and left out"));
  CHECK(has(cut, fmt::format("modelled: {} launches of ", whole)));
  for (const char* broken : {"nonsense\n", "{}\n", "null\n", "{\"gpu_clocks\":1}\n"}) {
    CAPTURE(broken);
    folder.write("timings.jsonl", text + broken);
    const Finished refused = results_launches(path + to);
    CHECK(refused.status == 3);
    CHECK(has(refused, fmt::format("timings.jsonl:{}: must be a line of FMHA950_TIMING_REPORT",
                                   std::ranges::count(text, '\n') + 1)));
    CHECK(has(refused, "fmha950: " + path + ": holds no launches that can be read"));
  }
  CHECK(has(results_launches((folder.path() / "l.sqlite").string()),
            fmt::format("modelled: {} launches of ", whole)));
  CHECK(results_launches((folder.path() / "nosuch").string()).status == 3);
  CHECK(has(results_launches(folder.write("empty.jsonl", "").string()),
            "must tell of a launch that was timed"));
  const Finished wrong = results_launches((folder.path() / "l.sqlite").string() + " --columns seconds_hihg");
  CHECK(wrong.status == 3);
  CHECK(has(wrong, "is no column, perhaps seconds_high"));
  const Finished text_mean =
      results_launches((folder.path() / "l.sqlite").string() + " --group-by kernel --columns file");
  CHECK(text_mean.status == 3);
  CHECK(has(text_mean, "--columns = file: must be a column of numbers"));
}

TEST_CASE("results launches: two processes that shared a file are told to have one each", "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder), text = folder.read("timings.jsonl");
  const std::string database = (folder.path() / "l.sqlite").string();
  CHECK(results_launches(path + " --to " + database).status == 0);
  folder.write("timings.jsonl", text + text); // launches of both begin at 0
  const Finished refused = results_launches(path + " --to " + database);
  CHECK(refused.status == 3);
  CHECK(has(refused, "twice: each process needs a file of its own (%p in FMHA950_TIMING_REPORT)"));
  CHECK(has(results_launches(database),
            fmt::format("modelled: {} launches of ", std::ranges::count(text, '\n'))));
}

TEST_CASE("results: a file of launches is no file of results, and says so") {
  const TemporaryFolder folder;
  const std::string path = reported_launches(folder);
  const Finished refused = analysis("results.py " + path);
  CHECK(refused.status == 3);
  CHECK(has(refused, "is a launch of FMHA950_TIMING_REPORT: ./fmha950 results launches " + path));
  analysis("results.py --to " + (folder.path() / "r.sqlite").string() + " " +
           folder.write("none.jsonl", "").string());
  const Finished none = results_launches((folder.path() / "r.sqlite").string());
  CHECK(none.status == 3);
  CHECK(has(none, "has no launches"));
}
