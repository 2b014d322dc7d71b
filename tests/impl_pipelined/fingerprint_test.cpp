// The bug of CK's first V3, as the seed's table of page lists showed it: a tile that takes the descales of
// the tile two ahead is wrong wherever pages change, and silent where they do not.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;

namespace {

struct Judged {
  harness::RowOutputs outputs;
  harness::Record record;
};

// By the probe's own rule, which for several pages also compares with each page alone: a runner knows those
// that it has run.
Judged judged(harness::ProbeRunner& runner, const harness::Probe& probe, const Tensors& tensors) {
  Judged result;
  harness::CaseOracle oracle(probe.problem, tensors);
  runner.run(probe, tensors, oracle, result.record);
  harness::CaseRun run(find_implementation("pipelined"), probe.problem, tensors);
  result.outputs = run.run({}, harness::all_rows(probe.problem)).rows;
  return result;
}

double rmse(const Judged& judged) { return judged.record.accuracy->verdict.kernel.rmse; }

std::vector<harness::Probe> rows_of_random_v() {
  return harness::select_probes(harness::page_permutations(), "/random_v$");
}

bool one_page(const harness::Probe& probe) {
  return probe.name.starts_with("page_permutation/single/") ||
         probe.name.starts_with("page_permutation/duplicate/");
}

} // namespace

TEST_CASE("descales of the tile two ahead: every list of different pages is elevated, one page is silent",
          "[slow]") {
  const harness::SourceMutant mutant = test::mutant_named("pipelined", "descale_of_tile");
  const harness::AccuracyOptions options;
  harness::ProbeRunner with_ring(find_implementation("pipelined"), options);
  harness::ProbeRunner without(find_implementation("pipelined"), options);
  int elevated = 0, silent = 0;
  for (const harness::Probe& probe : rows_of_random_v()) {
    CAPTURE(probe.name);
    const Tensors tensors = harness::make_tensors(probe);
    const Judged sound = judged(with_ring, probe, tensors);
    CHECK(sound.record.outcome.kind() == OutcomeKind::passed);
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    const Judged buggy = judged(without, probe, tensors);
    if (one_page(probe)) {
      ++silent;
      CHECK(buggy.record.outcome.kind() == OutcomeKind::passed);
      CHECK(buggy.outputs == sound.outputs);
    } else {
      ++elevated;
      CHECK(buggy.record.outcome.kind() == OutcomeKind::inaccurate);
      CHECK(rmse(buggy) > 2 * rmse(sound));
    }
  }
  CHECK(elevated >= 19);
  CHECK(silent >= 13);
}
