// The file of silicon-check: what is written is read, whole or not at all, and what is malformed or foreign is refused by field,
// value and what would be right.
#include "harness/output/whole_file.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <functional>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

SiliconCheck example() {
  SiliconCheck check{
      .environment = {.version = "0.1",
                      .commit = {},
                      .committed = {},
                      .kernels = {},
                      .build = {},
                      .compiler = "clang",
                      .host_cpu = {},
                      .device = "a GPU",
                      .library = "lib.so"},
      .driver = 7,
      .compute_units = 256,
      .date = "2026-11-26T12:00:00Z",
      .assume = "",
      .questions = {{"lds_read_rate", 256, {{20, 4096, 170}, {220, 45056, 1877}}}, {"hbm_latency", 8, {}}},
      .energy = {{.kernel = "load",
                  .memory = "hbm",
                  .iterations = 9,
                  .settled = true,
                  .hertz = {2.1e9, 2e9},
                  .chiplet_hertz = {1.9e9, 2.1e9},
                  .launch = {.series = "load-hbm", .seconds = 0.1, .clocks = 2e8, .shares = {.hbm = 2500}}}},
      .windows = {{"dpp", 2, {false, false, true}}},
      .differential = {{"fma_f32", 7}},
      .probes = {{"lds_dma/x", "passed", "", 0, 0}}};
  return check;
}

nlohmann::json written_example(const TemporaryFolder& folder) {
  const auto file = folder.path() / "example.json";
  write_silicon_check(example(), file);
  return nlohmann::json::parse(folder.read("example.json"));
}

// What the reader says of the example after a change.
std::string refusal(const std::function<void(nlohmann::json&)>& change) {
  const TemporaryFolder folder;
  nlohmann::json json = written_example(folder);
  change(json);
  try {
    read_silicon_check(folder.write("changed.json", json.dump()));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

} // namespace

TEST_CASE("silicon file: what is written is read") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "check.json";
  write_silicon_check(example(), file);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1); // nothing unfinished
  const SiliconCheck check = read_silicon_check(file), expected = example();
  CHECK(check.environment.device == "a GPU");
  CHECK_FALSE(check.environment.embedded);
  CHECK(check.driver == 7);
  CHECK(check.date == expected.date);
  REQUIRE(check.questions.size() == 2);
  CHECK(clocks_of_step(check.questions[0]) == Approx(0.8));
  CHECK_FALSE(clocks_of_step(check.questions[1]));
  REQUIRE(check.energy.size() == 1);
  CHECK(check.energy[0].hertz == expected.energy[0].hertz);
  CHECK(check.energy[0].launch.series == "load-hbm");
  CHECK(check.energy[0].launch.clocks == 2e8);
  CHECK(check.energy[0].launch.shares.hbm == 2500);
  REQUIRE(check.windows.size() == 1);
  CHECK(check.windows[0].needed() == 2);
  CHECK(check.differential.at(0).digest == 7);
  CHECK_FALSE(check.differential[0].is_as_here());
  CHECK(check.probes.at(0).verdict == "passed");
}

TEST_CASE("silicon file: a window ends behind the last wrong result") {
  CHECK(MeasuredWindow{"w", 4, {true, true}}.needed() == 0);
  CHECK(MeasuredWindow{"w", 4, {false, true, false, true}}.needed() == 3);
}

TEST_CASE("silicon file: what is malformed is refused by field and value") {
  using Json = nlohmann::json;
  CHECK(refusal([](Json&) {}) == "accepted");
  CHECK(refusal([](Json& json) { json["kind"] = "records"; }) ==
        "changed.json.kind = \"records\": must be \"fmha950 silicon-check\"");
  CHECK(refusal([](Json& json) { json["schema"] = 1; }) ==
        "changed.json.schema = 1: must be a whole number from 2 to 2");
  CHECK(refusal([](Json& json) { json["differential"][0]["name"] = "luck"; }) ==
        "changed.json.differential[0].name = \"luck\": must be an instruction of this program");
  CHECK(refusal([](Json& json) { json.erase("device"); }) ==
        "changed.json.device = (missing): must be there");
  CHECK(refusal([](Json& json) { json["energy"] = 3; }) == "changed.json.energy = 3: must be an array");
  CHECK(refusal([](Json& json) { json["energy"][0] = 3; }) ==
        "changed.json.energy[0] = 3: must be an object");
  CHECK(refusal([](Json& json) { json["energy"][0]["seconds"] = 0; }) ==
        "changed.json.energy[0].seconds = 0: must be a number above 0");
  CHECK(refusal([](Json& json) { json["energy"][0]["clocks"] = "many"; }) ==
        "changed.json.energy[0].clocks = \"many\": must be a number above 0");
  CHECK(refusal([](Json& json) { json["energy"][0]["valu"] = 1.5; }) ==
        "changed.json.energy[0].valu = 1.5: must be a number from 0 to 1.02");
  CHECK(refusal([](Json& json) { json["energy"][0]["kernel"] = "warp"; }) ==
        "changed.json.energy[0].kernel = \"warp\": must be an energy kernel of this program");
  CHECK(refusal([](Json& json) { json["questions"][0]["name"] = "luck"; }) ==
        "changed.json.questions[0].name = \"luck\": must be a question of this program");
  CHECK_THAT(refusal([](Json& json) { json["questions"][0]["runs"].erase(1); }),
             Catch::Contains("must have runs of two numbers of iterations"));
  CHECK_THAT(refusal([](Json& json) { json["windows"][0]["is_right"][2] = false; }),
             Catch::Contains("must end in true"));
  CHECK(refusal([](Json& json) { json["embedded"] = "no"; }) ==
        "changed.json.embedded = \"no\": must be true or false");
  CHECK_THAT(refusal([](Json& json) { json["assume"] = "luck"; }),
             Catch::Contains("or words joined by +, of cold"));
}

TEST_CASE("silicon file: what is no such file is refused") {
  const TemporaryFolder folder;
  for (const char* text : {"", "[]", "{", "group,length\n"})
    CHECK_THROWS_WITH(read_silicon_check(folder.write("other", text)),
                      Catch::Contains("must be a file of `fmha950 silicon-check`"));
  CHECK_THROWS_AS(read_silicon_check(folder.path()), InvalidInput);
  CHECK_THROWS_AS(read_silicon_check(folder.path() / "none"), InvalidInput);
}

TEST_CASE("silicon file: a file that exists stays, unless it is to be replaced") {
  const TemporaryFolder folder;
  const auto file = folder.write("there", "kept");
  CHECK_THROWS_WITH(require_writable("--output", file, false),
                    Catch::EndsWith("exists: add --overwrite to replace it"));
  CHECK_NOTHROW(require_writable("--output", file, true));
  CHECK_NOTHROW(require_writable("--output", folder.path() / "new", false));
  CHECK_THROWS_WITH(require_writable("--output", folder.path(), true), Catch::Contains("and is a directory"));
  CHECK_THROWS_WITH(require_writable("--output", folder.path() / "no" / "file", false),
                    Catch::Contains("cannot be written"));
  CHECK(folder.read("there") == "kept");
}
