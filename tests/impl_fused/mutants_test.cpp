// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/device/variation.hpp"
#include "harness/mutation/schedules.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/mutation/subject.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe_selection.hpp"
#include "harness/workload/generate.hpp"
#include "interface/case_string.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/mutants.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace fmha950;

TEST_CASE("a kernel gives the same bits under every schedule", "[slow]") {
  // All four waves busy, eight tiles, a length off every boundary.
  const std::string form =
      GENERATE(as<std::string>(), "/quant=tensor", "/quant=mx", "/quant=mx/page=32", "/quant=page/page=64");
  CAPTURE(form);
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/lse=1" + form);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation("fused"), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto expected = run.run({"eager", "", ""}, rows).rows;
  for (const std::string& schedule : harness::mutation_schedules(8)) {
    CAPTURE(schedule);
    CHECK(run.run({schedule, "", ""}, rows).rows == expected);
  }
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  for (const harness::SourceMutant& mutant : test::mutants_of("fused")) {
    CAPTURE(mutant.name);
    CHECK_FALSE(std::ranges::equal(hip::code_object(mutant.code_object), harness::code_of(mutant)));
  }
}

TEST_CASE("every mutant is killed", "[slow]") {
  const auto all = test::mutants_of("fused");
  CHECK(all.size() >= 34);
  // Of the many forms of the cache those that a mutant may depend on: every kernel.
  harness::SourceJudge judge(harness::select_probes(harness::all_probes(),
                                                    "/sglang/linear/page=(16/quant=tensor|(16|64)/quant=mx|"
                                                    "64/quant=page)$|^page_permutation/single/4098/"),
                             harness::mutation_schedules(2));
  for (const harness::SourceMutant& mutant : all) {
    const harness::Judgement judgement = judge.judge(mutant).judgement;
    INFO(mutant.name << ": " << judgement.reason);
    CHECK(judgement.verdict == harness::MutantVerdict::killed);
  }
  harness::apply(
      {.schedule = "eager", .threads = "", .mfma = "", .check = "none"}); // as other tests expect it
}

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  std::set<std::string> subjects;
  for (const auto& subject : harness::implementation_subjects()) subjects.insert(subject->name());
  const auto kernels = test::kernels_starting("fused");
  CHECK(kernels.size() == 4);
  for (const auto& [variant, kernel] : kernels) CHECK(subjects.contains(variant + "/" + kernel));
}
