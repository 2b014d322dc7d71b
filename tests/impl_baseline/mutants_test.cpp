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
  // All four waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
  const std::string text =
      GENERATE(as<std::string>(), "batch_prefill/h=8:1/sq=16/sk=470/d=128/lse=1",
               "batch_prefill/h=8:1/sq=16/sk=470/d=64/layout=vectorized/lse=1",
               "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/quant=page/page=1/lse=1",
               "batch_prefill/h=8:1/sq=16/sk=470/d=256/q=fp8/kv=fp8/layout=vectorized/lse=1");
  CAPTURE(text);
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation("baseline"), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto expected = run.run({"eager", "", ""}, rows).rows;
  for (const std::string& schedule : harness::mutation_schedules(8)) {
    CAPTURE(schedule);
    CHECK(run.run({schedule, "", ""}, rows).rows == expected);
  }
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  for (const harness::SourceMutant& mutant : test::mutants_of("baseline")) {
    CAPTURE(mutant.name);
    const auto product = hip::code_object(mutant.code_object);
    const std::vector<std::byte> code = harness::code_of(mutant);
    CHECK_FALSE(std::ranges::equal(product, code));
  }
}

TEST_CASE("every mutant is killed", "[slow]") {
  const auto all = test::mutants_of("baseline");
  CHECK(all.size() >= 69);
  // Of the many forms of the cache those that a mutant may depend on.
  harness::SourceJudge judge(
      harness::select_probes(
          harness::all_probes(),
          "/(linear|vectorized)/page=16/quant=(none|tensor|page)$|"
          "^page_descales/sglang/linear/page=1/|^page_permutation/(single/4098|gapped/0,4999)/"),
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
  const auto kernels = test::kernels_starting("baseline_");
  CHECK(kernels.size() == 24);
  for (const auto& [variant, kernel] : kernels) CHECK(subjects.contains(variant + "/" + kernel));
}
