// The report's section on launches of a program.
#include "harness/perf/launch_timings.hpp"
#include "harness/perf/modelled_time.hpp"
#include "tests/harness/opened_page.hpp"
#include "tests/harness/report_inputs.hpp"
#include "tests/harness/reported_launches.hpp"

#include <fmt/format.h>
#include <map>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::test;

namespace {

// Of what `device timings --json` says of a report, and other result files.
std::filesystem::path page_of(const TemporaryFolder& folder, const std::string& results = "") {
  const auto launches = folder.write(
      "launches.jsonl", joined(run_fmha950("device timings --json " + reported_launches(folder)).out));
  const auto commands = folder.write("commands.txt", "./fmha950 report --timings timings.jsonl\n");
  const auto page = folder.path() / "page.html";
  const Finished made = analysis("report.py " + results + " --launches " + quoted(launches) + " --commands " +
                                 quoted(commands) + " --output " + quoted(page));
  INFO(made.output);
  REQUIRE(made.status == 0);
  return page;
}

// As Python's "{:,.0f}".
std::string with_commas(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<size_t>(at), ",");
  return text;
}

} // namespace

TEST_CASE("report of launches: clocks with their interval, FLOPs, bytes and stalls of each kernel",
          "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string html = contents(page_of(folder));
  std::map<std::string, std::vector<LaunchTiming>> kernels;
  for (const LaunchTiming& timing : read_launch_timings(folder.path() / "timings.jsonl").timed)
    kernels[timing.launch().kernel].push_back(timing);
  REQUIRE(kernels.size() > 1);
  for (const auto& [name, launches] : kernels) {
    CAPTURE(name);
    CHECK_THAT(html, Catch::Contains(name));
    if (launches.size() > 1) continue;
    const LaunchTiming& timing = launches.front();
    const Range seconds = seconds_of(timing.modelled);
    for (const double ns : {1e9 * seconds.best, 1e9 * seconds.low, 1e9 * seconds.high})
      CHECK_THAT(html, Catch::Contains(fmt::format(">{}", with_commas(ns))));
    CHECK_FALSE(timing.stalls.empty());
    CHECK_THAT(html,
               Catch::Contains(std::filesystem::path(timing.stalls.front().source).filename().string()));
  }
  for (const char* text : {"Launches of a program, modelled", "matrix FLOPs", "Infinity Cache", "at most",
                           "./fmha950 report --timings timings.jsonl", "Register bank conflicts"})
    CHECK_THAT(html, Catch::Contains(text));
  CHECK(html.find("Environment") == html.npos); // of records, of which there are none
}

TEST_CASE("report of launches: a section among those of cases, and none of no launches", "[unsanitized]") {
  const TemporaryFolder folder;
  const auto results = folder.write("perf.jsonl", lines());
  const std::string both = contents(page_of(folder, quoted(results)));
  CHECK_THAT(both, Catch::Contains("href=\"#launches\"") && Catch::Contains("href=\"#performance\""));
  const Finished without =
      analysis("report.py " + quoted(results) + " --launches " + quoted(folder.write("none", "")) +
               " --output " + quoted(folder.path() / "p.html"));
  CHECK(without.status == 0);
  CHECK(contents(folder.path() / "p.html").find("href=\"#launches\"") == std::string::npos);
  CHECK(analysis("report.py --output " + quoted(folder.path() / "p.html")).status != 0);
}

TEST_CASE("report of launches opens in headless Chromium", "[unsanitized]") {
  if (!chromium_found()) return;
  const TemporaryFolder folder;
  check_opens(page_of(folder), "launches model reproduce", "3 sections, 0 figures");
}
