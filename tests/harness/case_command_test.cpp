// The loop over cases and implementations: what becomes of every case, and the records in the file.
#include "fake_implementation.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/commands/case_command.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <fstream>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr const char* small = "batch_prefill/h=2:1/sq=8/sk=32";

struct Ran {
  int exit_code = 0;
  std::vector<nlohmann::json> records;
};

Ran run(CaseCommand& cases) {
  const TemporaryFolder folder;
  cases.output.file = (folder.path() / "out.jsonl").string();
  Ran ran;
  ran.exit_code = run_accuracy(cases, {});
  std::ifstream file(cases.output.file);
  for (std::string line; std::getline(file, line);) ran.records.push_back(nlohmann::json::parse(line));
  return ran;
}

} // namespace

TEST_CASE("every case gives one record per implementation, in order") {
  fake::reset_behaviours();
  CaseCommand cases("accuracy");
  cases.selection.cases = {small, "batch_prefill/sq=8/h=2:1/sk=32",
                           "batch_prefill/h=2:1/sq=4/sk=32/kv=fp8/quant=tensor"};
  cases.implementation = "all";
  const Ran ran = run(cases);
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.records.size() == 4); // the second case is the first, spelled otherwise
  CHECK(ran.records[0]["resolved"] == "fake_a");
  CHECK(ran.records[1]["resolved"] == "fake_b");
  CHECK(ran.records[0]["case"] == ran.records[1]["case"]);
  CHECK(ran.records[2]["accuracy"]["limits"]["fp8_ceiling"]["limit"].is_number());
  CHECK(ran.records[0]["accuracy"]["limits"]["fp8_ceiling"]["limit"].is_null());
  for (const auto& record : ran.records) {
    CHECK(record["schema"] == 3);
    CHECK(record["outcome"] == "passed");
    CHECK(record["environment"]["device"] == "fake gfx950");
    CHECK(record["emulation_wall_ms"].is_number());
    CHECK(record["gpu_ms"].is_null());
  }
  CHECK(ran.records[1]["reproduce"].get<std::string>().find(
            "./fmha950 accuracy '" + ran.records[1]["case"].get<std::string>() + "' --impl fake_b") !=
        std::string::npos);
}

TEST_CASE("auto takes the first that supports the problem and says which") {
  fake::reset_behaviours();
  fake::behaviour("fake_a").supported = false;
  CaseCommand cases("accuracy");
  cases.selection.cases = {small};
  const Ran ran = run(cases);
  REQUIRE(ran.records.size() == 1);
  CHECK(ran.records[0]["requested"] == "auto");
  CHECK(ran.records[0]["resolved"] == "fake_b");
  CHECK(ran.records[0]["variant"] == "scalar");
  CHECK(ran.records[0]["fallback"] == "fake_a: the test says so");
}

TEST_CASE("auto goes by rank, then by name") {
  fake::reset_behaviours();
  CaseCommand cases("accuracy");
  cases.selection.cases = {small};
  const auto resolved = [&] { return run(cases).records.at(0)["resolved"]; };
  CHECK(resolved() == "fake_a");
  fake::behaviour("fake_b").rank = Rank::usual;
  CHECK(resolved() == "fake_b");
  fake::behaviour("fake_a").rank = Rank::first;
  CHECK(resolved() == "fake_a");
}

TEST_CASE("auto: of those that others do not come before, the one with the least estimate") {
  fake::reset_behaviours();
  fake::behaviour("fake_a").rank = Rank::first;
  fake::behaviour("fake_a").seconds = 2e-6;
  fake::behaviour("fake_b").rank = Rank::usual;
  fake::behaviour("fake_b").seconds = 1e-6;
  const auto choice = [](const std::string& text = small) {
    return dispatch("auto", parse_case(text)).front();
  };
  CHECK(choice().implementation->name() == "fake_b");
  CHECK(choice().fallback() == "fake_a: slower by the estimate");
  CHECK(choice().chosen_by == "the least estimate");

  SECTION("the first where they take the same") {
    fake::behaviour("fake_b").seconds = 2e-6;
    CHECK(choice().implementation->name() == "fake_a");
    CHECK(choice().fallback().empty());
  }
  SECTION("never one that does not support the case") {
    fake::behaviour("fake_b").supported = false;
    CHECK(choice().implementation->name() == "fake_a");
    CHECK(choice().chosen_by == "rank");
  }
  SECTION("never one of the others, however fast") {
    fake::behaviour("fake_b").rank = Rank::others;
    CHECK(choice().implementation->name() == "fake_a");
  }
  SECTION("by rank where the first has no estimate") {
    fake::behaviour("fake_a").seconds.reset();
    CHECK(choice().implementation->name() == "fake_a");
    CHECK(choice().chosen_by == "rank: no estimate was made for this form");
  }
  SECTION("one without an estimate is not chosen before the first") {
    fake::behaviour("fake_b").seconds.reset();
    CHECK(choice().implementation->name() == "fake_a");
  }
  SECTION("by rank with deterministic=1") {
    CHECK(choice(std::string(small) + "/deterministic=1").implementation->name() == "fake_a");
    CHECK(choice(std::string(small) + "/deterministic=1").chosen_by ==
          "rank: with deterministic=1 no lengths decide");
  }
}

TEST_CASE(
    "nothing was passed over where the first choice runs, a name is asked for, or none takes the case") {
  fake::reset_behaviours();
  CaseCommand cases("accuracy");
  cases.selection.cases = {small};
  const auto record = [&] { return run(cases).records.at(0); };
  CHECK(record()["fallback"].is_null());
  cases.implementation = "fake_b";
  CHECK(record()["fallback"].is_null());
  fake::behaviour("fake_a").supported = fake::behaviour("fake_b").supported = false;
  cases.implementation = "auto";
  CHECK(record()["fallback"].is_null());
  CHECK(record()["outcome"] == "unsupported");
  CHECK(record()["reason"] == "fake_a: the test says so; fake_b: the test says so");
}

TEST_CASE("one broken case does not stop the others, and the exit code is of the first kind of failure") {
  fake::reset_behaviours();
  CaseCommand cases("accuracy");
  cases.implementation = "fake_a";
  SECTION("a case string that does not parse") {
    cases.selection.cases = {"batch_prefill/colour=red", small};
    const Ran ran = run(cases);
    REQUIRE(ran.records.size() == 2);
    CHECK(ran.records[0]["outcome"] == "invalid_input");
    CHECK(ran.records[0]["case"] == "batch_prefill/colour=red");
    CHECK(ran.records[1]["outcome"] == "passed");
    CHECK(ran.exit_code == exit_code(OutcomeKind::invalid_input));
  }
  SECTION("an input that plan refuses") {
    fake::behaviour("fake_a").invalid_input = "7";
    cases.selection.cases = {small};
    const Ran ran = run(cases);
    CHECK(ran.records[0]["outcome"] == "invalid_input");
    CHECK(ran.records[0]["reason"] == "field = 7: must be something else");
  }
  SECTION("a device error") {
    fake::behaviour("fake_a").device_error = "kernel fault";
    cases.selection.cases = {small};
    cases.implementation = "all";
    const Ran ran = run(cases);
    CHECK(ran.records[1]["outcome"] == "passed"); // the fault was cleared
    CHECK(ran.records[0]["outcome"] == "device_error");
    CHECK(ran.records[0]["emulation_wall_ms"].is_null());
    CHECK(ran.records[0]["accuracy"]["kernel_error"]["max_abs"].is_null());
    CHECK(ran.exit_code == exit_code(OutcomeKind::device_error));
  }
  SECTION("unsupported is skipped, not failed") {
    fake::behaviour("fake_a").supported = false;
    cases.selection.cases = {small};
    const Ran ran = run(cases);
    CHECK(ran.records[0]["outcome"] == "unsupported");
    CHECK(ran.records[0]["reason"] == "the test says so");
    CHECK(ran.exit_code == 0);
  }
}

TEST_CASE("a loop that stops at the first failure leaves out the rest") {
  fake::reset_behaviours();
  const CaseItem item{"", "'x'", "a probe", [] { return parse_case(small); },
                      [](const Problem& problem) { return workload::make_tensors(problem); }};
  CaseLoop loop{
      .command = "probe", .implementation = "fake_a", .arguments = "", .output = {}, .stop_at_failure = true};
  int runs = 0;
  const auto body_for = [&](size_t, const PreparedCase&) {
    CaseBody body;
    body.run = [&](const PreparedCase&, const Implementation&, Record& record) {
      ++runs;
      record.outcome = runs == 2 ? Outcome::failed(OutcomeKind::hazard, "test") : Outcome::passed();
    };
    return body;
  };
  CHECK(loop.run({item, item, item}, body_for) == exit_code(OutcomeKind::hazard));
  CHECK(runs == 2);
  runs = 0;
  loop.stop_at_failure = false;
  loop.run({item, item, item}, body_for);
  CHECK(runs == 3);
}

TEST_CASE("an empty selection and unknown names are refused") {
  CaseCommand cases("accuracy");
  CHECK_THROWS_AS(run(cases), InvalidInput);
  cases.selection.cases = {small};
  cases.implementation = "nonesuch";
  CHECK_THROWS_WITH(run(cases), "implementation = nonesuch: must be one of fake_a, fake_b");
  cases.implementation = "auto";
  cases.selection.lists = {"nonesuch"};
  CHECK_THROWS_AS(run(cases), InvalidInput);
  cases.selection.lists.clear();
  cases.selection.filter = "(";
  CHECK_THROWS_AS(run(cases), InvalidInput);
}

TEST_CASE("a loaded folder whose calls are cut wrongly is invalid input, and nothing is planned") {
  fake::reset_behaviours();
  const Problem problem = parse_case("append_prefill/h=2:1/sq=30/sk=50/d=64/calls=3");
  Tensors tensors = workload::make_tensors(problem);
  const auto run_with_cuts = [&](int32_t first, int32_t second) {
    append_tensors(tensors).call_cuts.as<int32_t>()[0] = first;
    append_tensors(tensors).call_cuts.as<int32_t>()[1] = second;
    const TemporaryFolder folder;
    workload::save_case_folder(folder.path() / "case", problem, tensors, {});
    CaseCommand cases("accuracy");
    cases.implementation = "fake_a";
    cases.folders = {(folder.path() / "case").string()};
    return run(cases);
  };
  CHECK(run_with_cuts(0, 30).records[0]["outcome"] == "passed");
  REQUIRE(fake::behaviour("fake_a").planned.size() == 3);
  CHECK(fake::behaviour("fake_a").planned[1].requests[0].query_length == 30);
  const Ran ran = run_with_cuts(20, 10);
  CHECK(ran.exit_code == 3);
  CHECK(ran.records[0]["outcome"] == "invalid_input");
  CHECK(ran.records[0]["reason"] == "call_cuts[0, 1] = 10: must be at least 20, the cut before it");
  CHECK(run_with_cuts(20, 31).records[0]["outcome"] == "invalid_input");
  CHECK(fake::behaviour("fake_a").planned.size() == 3);
}
