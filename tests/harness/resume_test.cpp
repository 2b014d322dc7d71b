// --output, --resume and --overwrite: what counts as done, and what the run says of it.
#include "fake_implementation.hpp"
#include "harness/commands/case_command.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

const std::string small = "batch_prefill/h=2:1/sq=8/sk=32", other = small + "/seed=2";

size_t planned() {
  return fake::behaviour("fake_a").planned.size() + fake::behaviour("fake_b").planned.size();
}

// Runs of the fakes that write to one file.
struct Runs {
  TemporaryFolder folder;
  std::string command = "accuracy", implementation = "all";
  AccuracyOptions options;
  std::vector<std::string> cases{small, other}, folders;

  Runs() { fake::reset_behaviours(); }
  std::string file() const { return folder.path() / "out.jsonl"; }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream stream(file());
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
  int run(bool resume, bool overwrite = false, OutputOptions output = {}) {
    CaseCommand command_of_cases(command);
    command_of_cases.selection.cases = cases;
    command_of_cases.folders = folders;
    command_of_cases.implementation = implementation;
    command_of_cases.output = output;
    command_of_cases.output.file = file();
    command_of_cases.output.resume = resume;
    command_of_cases.output.overwrite = overwrite;
    return run_accuracy(command_of_cases, options);
  }
  size_t planned_by_resume() { // how many runs were missing
    const size_t before = planned();
    run(true);
    return planned() - before;
  }
};

} // namespace

TEST_CASE("results that are there are neither lost nor added to unless that is asked for") {
  Runs runs;
  runs.run(false);
  const auto before = runs.lines();
  REQUIRE(before.size() == 4);
  CHECK(planned() == 4);
  CHECK_THROWS_WITH(runs.run(false), Catch::Contains("is not empty: add --resume"));
  CHECK(planned() == 4); // nothing was run
  CHECK(runs.lines() == before);
  runs.cases = {small};
  runs.run(false, true);
  CHECK(runs.lines().size() == 2);
}

TEST_CASE("bad arguments leave the file as it is, even with --overwrite") {
  Runs runs;
  runs.run(false);
  runs.implementation = "nonesuch";
  CHECK_THROWS_AS(runs.run(false, true), InvalidInput);
  runs.implementation = "all";
  runs.options.variations.threads = {"refused"};
  CHECK_THROWS_AS(runs.run(false, true), InvalidInput);
  CHECK(runs.lines().size() == 4);
}

TEST_CASE("a resumed run runs what is missing, behind what is kept byte for byte") {
  Runs runs;
  runs.run(false);
  const auto before = runs.lines();
  CHECK(runs.planned_by_resume() == 0);
  CHECK(runs.lines() == before);
  // Interrupted in its third line.
  runs.folder.write("out.jsonl", before[0] + "\n" + before[1] + "\n" + before[2].substr(0, 100));
  CHECK(runs.planned_by_resume() == 2);
  const auto after = runs.lines();
  REQUIRE(after.size() == 4);
  CHECK(after[0] == before[0]);
  CHECK(after[1] == before[1]);
  for (size_t i = 2; i < 4; ++i) {
    const auto made = nlohmann::json::parse(after[i]), lost = nlohmann::json::parse(before[i]);
    for (const char* key : {"case", "requested", "asked", "outcome"}) CHECK(made[key] == lost[key]);
  }
  runs.cases.push_back(small + "/seed=3"); // a longer list goes on with it, too
  CHECK(runs.planned_by_resume() == 2);
}

TEST_CASE("a record counts as done for the same command, case, implementation and options only") {
  Runs runs;
  runs.cases = {small};
  runs.implementation = "fake_a";
  runs.run(false);
  CHECK(runs.planned_by_resume() == 0);
  SECTION("the same case, spelled otherwise") {
    runs.cases = {"batch_prefill/sq=8/sk=32/h=2:1/page=16"};
    CHECK(runs.planned_by_resume() == 0);
  }
  SECTION("another case") {
    runs.cases = {other};
    CHECK(runs.planned_by_resume() == 1);
  }
  SECTION("another command") {
    runs.command = "compare";
    CHECK(runs.planned_by_resume() == 1);
  }
  SECTION("another implementation, or `auto`, which finds the same") {
    runs.implementation = "fake_b";
    CHECK(runs.planned_by_resume() == 1);
    runs.implementation = "auto";
    CHECK(runs.planned_by_resume() == 1);
  }
  SECTION("other options") {
    runs.options.variations.threads = {"1", "2"};
    CHECK(runs.planned_by_resume() == 1);
    runs.options.variations.threads.clear();
    runs.options.oracle_rows = 2;
    CHECK(runs.planned_by_resume() == 1);
  }
  SECTION("another environment") {
    setenv("FMHA950_THREADS", "2", 1);
    CHECK(runs.planned_by_resume() == 1);
    unsetenv("FMHA950_THREADS");
    const std::string line = runs.lines().front();
    runs.folder.write("out.jsonl", std::string(line).replace(line.find("fake gfx950"), 4, "some") + "\n");
    CHECK(runs.planned_by_resume() == 1);
  }
  SECTION("other code") {
    for (const char* key : {"build", "kernels", "commit"}) {
      auto record = nlohmann::ordered_json::parse(runs.lines().back()); // of this code
      auto& value = record["environment"][key];
      CHECK(!value.get<std::string>().empty());
      value = "0123456789abcdef";
      runs.folder.write("out.jsonl", record.dump() + "\n");
      CHECK(runs.planned_by_resume() == (key == std::string("commit") ? 0 : 1)); // of the same code
    }
  }
  CHECK(runs.planned_by_resume() == 0);
}

TEST_CASE("a case folder that was written anew is another case") {
  Runs runs;
  runs.cases.clear();
  runs.implementation = "fake_a";
  const auto folder = runs.folder.path() / "c";
  runs.folders = {folder};
  const auto save = [&](const std::string& text) {
    std::filesystem::remove_all(folder);
    const Problem problem = parse_case(text);
    workload::save_case_folder(folder, problem, workload::make_tensors(problem), {});
  };
  save(small);
  runs.run(false);
  CHECK(runs.planned_by_resume() == 0);
  save(other);
  CHECK(runs.planned_by_resume() == 1);
}

TEST_CASE("kept failures and skips count as they did") {
  Runs runs;
  runs.cases = {small, "batch_prefill/colour=red"};
  runs.implementation = "fake_a";
  fake::behaviour("fake_a").invalid_input = "7";
  CHECK(runs.run(false) == exit_code(OutcomeKind::invalid_input));
  fake::behaviour("fake_a").invalid_input = "";
  CHECK(runs.planned_by_resume() == 0);
  CHECK(runs.run(true) == exit_code(OutcomeKind::invalid_input));
  CHECK(runs.lines().size() == 2);
}

TEST_CASE("a file that holds no records is refused by its line") {
  Runs runs;
  runs.folder.write("out.jsonl", "{\"a\":1}\n");
  CHECK_THROWS_WITH(runs.run(true), Catch::Contains("out.jsonl: line 1 is no record: "));
  CHECK(planned() == 0);
  runs.folder.write("out.jsonl", "{\n{}\n");
  CHECK_THROWS_WITH(runs.run(true), Catch::Contains("out.jsonl: line 1 is no record: "));
}
