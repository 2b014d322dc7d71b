// data/schemas: lines of FMHA950_TIMING_REPORT and of `device timings --json` keep to them, and broken ones do not.
#include "harness/perf/launch_timings.hpp"
#include "tests/harness/python.hpp"
#include "tests/harness/reported_launches.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::test;
using nlohmann::json;

namespace {

std::vector<std::string> validated(const TemporaryFolder& folder, const char* schema,
                                   const std::vector<std::string>& texts) {
  std::string arguments =
      source_path("tests/harness/external/validate.py") + " " + source_path("data/schemas/") + schema;
  for (size_t i = 0; i < texts.size(); ++i)
    arguments += " " + quoted(folder.write(fmt::format("{}.json", i), texts[i]));
  const Finished finished = python(arguments);
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  std::istringstream said(finished.output);
  return lines_of(said);
}

void check_sound(const TemporaryFolder& folder, const char* schema, const std::vector<std::string>& texts) {
  REQUIRE_FALSE(texts.empty());
  for (const std::string& line : validated(folder, schema, texts)) CHECK(line == "sound");
}

// `patches` of a sound line, each of which makes it wrong.
void check_broken(const TemporaryFolder& folder, const char* schema, const std::string& sound,
                  const std::vector<const char*>& patches) {
  std::vector<std::string> texts;
  for (const char* patch : patches) texts.push_back(json::parse(sound).patch(json::parse(patch)).dump());
  const std::vector<std::string> said = validated(folder, schema, texts);
  REQUIRE(said.size() == patches.size());
  for (size_t i = 0; i < patches.size(); ++i) {
    CAPTURE(patches[i]);
    CHECK(said[i] != "sound");
  }
}

} // namespace

TEST_CASE("launch schema: what the device writes keeps to it, whatever option timing asks for",
          "[unsanitized]") {
  const TemporaryFolder folder;
  std::vector<std::string> lines;
  for (const char* timing :
       {"", " FMHA950_TIMING=samples,most=2,alone", " FMHA950_TIMING=chiplet,cold,timeline"}) {
    const std::string path = folder.path() / "timings.jsonl";
    REQUIRE(run_fmha950("run '" + small_problem + "' --impl prepass --no-isolate",
                        "FMHA950_TIMING_REPORT=" + path + timing)
                .exit_code == 0);
    std::ifstream file(path);
    std::ranges::move(lines_of(file), std::back_inserter(lines));
  }
  check_sound(folder, "timing_report.json", lines);
  check_broken(folder, "timing_report.json", lines.front(),
               {R"([{"op": "remove", "path": "/stream"}])",
                R"([{"op": "replace", "path": "/stream", "value": -1}])",
                R"([{"op": "replace", "path": "/executed", "value": "none"}])",
                R"([{"op": "replace", "path": "/gpu_clocks", "value": 0}])",
                R"([{"op": "replace", "path": "/shape/grid", "value": [1, 1]}])",
                R"([{"op": "remove", "path": "/runs/0/bytes/hbm"}])",
                R"([{"op": "replace", "path": "/stalls/0/share", "value": 1.5}])",
                R"([{"op": "add", "path": "/unheard", "value": 1}])"});
}

TEST_CASE("launch schema: what `device timings --json` prints keeps to it", "[unsanitized]") {
  const TemporaryFolder folder;
  const std::vector<std::string> lines =
      run_fmha950("device timings --json " + reported_launches(folder)).out;
  check_sound(folder, "launch_timing.json", lines);
  check_broken(
      folder, "launch_timing.json", lines.front(),
      {R"([{"op": "remove", "path": "/file"}])", R"([{"op": "replace", "path": "/seconds", "value": 0}])",
       R"([{"op": "replace", "path": "/executed", "value": "some"}])",
       R"([{"op": "replace", "path": "/stalls", "value": {}}])", R"([{"op": "remove", "path": "/bytes/l2"}])",
       R"([{"op": "add", "path": "/unheard", "value": 1}])"});
}
