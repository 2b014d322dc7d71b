// Every protection of the kernels is needed: without it some probe fails, under some schedule of the embedded
// device where a wait or a barrier is missing. The kernels themselves give the same bits under all of them.
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/mutation/schedules.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/probe_selection.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "tests/support/mutants.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace fmha950;

namespace {

const std::vector<std::string> schedules = harness::mutation_schedules(8);

} // namespace

TEST_CASE("the attention kernel gives the same bits under every schedule", "[slow]") {
  // All eight waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=470/d=128/page=16/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation("prepass"), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto expected = run.run({"eager", "", ""}, rows).rows;
  for (const std::string& schedule : schedules) {
    CAPTURE(schedule);
    CHECK(run.run({schedule, "", ""}, rows).rows == expected);
  }
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  for (const harness::SourceMutant& mutant : test::mutants_of("prepass")) {
    CAPTURE(mutant.name);
    const auto product = hip::code_object(mutant.code_object);
    const std::vector<std::byte> code = harness::code_of(mutant);
    CHECK_FALSE(std::ranges::equal(product, code));
  }
}

TEST_CASE("a probe fails without any of the protections", "[slow]") {
  const auto all = test::mutants_of("prepass");
  CHECK(all.size() >= 30);
  for (const harness::SourceMutant& mutant : all) {
    if (mutant.code_object.find("sparse") != std::string::npos) continue; // sparse_mutants_test.cpp
    std::vector<harness::Probe> probes = harness::all_probes();
    std::erase_if(probes, [&](const harness::Probe& probe) { return !concerns(mutant, probe.problem); });
    harness::AccuracyOptions options;
    // Kernel one has no waits of its own: nothing of it depends on the schedule.
    if (mutant.code_object != "prepass_relayout") options.variations.schedules = schedules;
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    const auto failure = harness::first_failure(find_implementation(mutant.implementation), probes, options);
    INFO(mutant.name << ": " << mutant.consequence);
    CHECK(failure);
  }
}

TEST_CASE("a mutant's wrong page is named by what it showed") {
  const harness::SourceMutant mutant = test::mutant_named("prepass", "page_base_32_bits");
  const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
  const auto failure = harness::first_failure(
      find_implementation("prepass"),
      harness::select_probes(harness::page_permutations(), "single/(4095|4098)/constant_v"), {});
  REQUIRE(failure);
  CHECK(failure->probe == "page_permutation/single/4098/constant_v"); // 4095 lies below 2^32
  CHECK_THAT(failure->outcome.reason(), Catch::EndsWith("saw page 2: 0.000977 instead of page 4098: 1"));
}

TEST_CASE("a sweep finds the first schedule of the list that shows a missing wait, and none without one") {
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=150/d=128/page=16/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<std::string> list = {"eager", "eager,random:1", "eager,random:2", "lazy",
                                         "lazy,random:1"};
  const Implementation& prepass = find_implementation("prepass");
  CHECK_FALSE(harness::sweep(prepass, problem, tensors, list));
  const harness::SourceMutant mutant = test::mutant_named("prepass", "v_read");
  const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
  const auto failure = harness::sweep(prepass, problem, tensors, list); // eager loads need no wait
  REQUIRE(failure);
  CHECK(failure->index == 3);
  CHECK(failure->kind == OutcomeKind::hazard);
  CHECK_THAT(failure->reason, Catch::StartsWith("bits differ from those under the first: "));
}
