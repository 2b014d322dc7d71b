// Every protection of sparse_prefill's kernels is needed: without it some probe fails, under some schedule of
// the embedded device where a wait or a barrier is missing. The kernels themselves give the same bits under
// all of them.
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/mutation/schedules.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "harness/workload/generate.hpp"
#include "interface/case_string.hpp"
#include "tests/support/mutants.hpp"

#include <catch2/catch.hpp>

using namespace fmha950;

namespace {

const std::vector<std::string> schedules = harness::mutation_schedules(8);

// Six tiles of either tiling and a part of one, across the end of the prefix list: long enough for ids that
// are looked up late to be needed.
Problem long_lists(int heads) {
  return parse_case("sparse_prefill/h=" + std::to_string(heads) +
                    "/n=2/pool=600/chunk=90/kv=bf16/prefix=370,3/extend=47,0/scale=0.05/sinklogit=1/lse=1");
}

} // namespace

TEST_CASE("sparse: the attention kernels give the same bits under every schedule") {
  const Problem problem = long_lists(GENERATE(16, 32, 48));
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation("prepass"), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto expected = run.run({"eager", "", ""}, rows).rows;
  for (const std::string& schedule : schedules) {
    CAPTURE(schedule);
    CHECK(run.run({schedule, "", ""}, rows).rows == expected);
  }
}

TEST_CASE("sparse: a probe or a sweep of schedules fails without any of the protections", "[slow]") {
  const Implementation& prepass = find_implementation("prepass");
  int judged = 0;
  for (const harness::SourceMutant& mutant : test::mutants_of("prepass")) {
    std::vector<harness::Probe> probes = harness::all_probes();
    std::erase_if(probes, [&](const harness::Probe& probe) { return !concerns(mutant, probe.problem); });
    const Problem problem = long_lists(mutant.code_object == "prepass_sparse_narrow" ? 32 : 48);
    if (!concerns(mutant, problem)) continue;
    ++judged;
    INFO(mutant.code_object << "/" << mutant.name << ": " << mutant.consequence);
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    // The sweep is the quicker of the two for a mutant that only some schedule shows.
    const bool found = harness::sweep(prepass, problem, workload::make_tensors(problem), schedules) ||
                       harness::first_failure(prepass, probes, {});
    CHECK(found);
  }
  CHECK(judged >= 40);
}
