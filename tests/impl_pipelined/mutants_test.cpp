// Every protection of the kernels is needed: without it some probe fails, under some schedule of the embedded
// device where a wait or a barrier is missing. The kernels themselves give the same bits under all of them.
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/mutation/schedules.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/probe_selection.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "tests/support/mutants.hpp"

#include <catch2/catch.hpp>

using namespace fmha950;

namespace {

const std::vector<std::string> schedules = harness::mutation_schedules(8);

harness::RowOutputs outputs(const Problem& problem, const Tensors& tensors, std::string_view implementation,
                            const std::string& schedule) {
  harness::CaseRun run(find_implementation(implementation), problem, tensors);
  return run.run({schedule, "", ""}, harness::all_rows(problem)).rows;
}

// A mutant under its implementation, with the schedules that show a missing wait or barrier.
std::optional<harness::ProbeFailure> failure_of(const std::string& mutant, const std::string& probes,
                                                const std::vector<std::string>& under) {
  const harness::SourceMutant source = test::mutant_named("pipelined", mutant);
  const hip::CodeObjectOverride stands_in(source.code_object, harness::code_of(source));
  harness::AccuracyOptions options;
  options.variations.schedules = under;
  return harness::first_failure(find_implementation("pipelined"),
                                harness::select_probes(harness::all_probes(), probes), options);
}

} // namespace

TEST_CASE("the same bits under every schedule", "[slow]") {
  // All eight waves busy, eight tiles, a length off every boundary; every way of paging, and a key split.
  const std::string text = "batch_prefill/h=8:1/sq=32/sk=470/d=128/q=fp8/kv=fp8/lse=1";
  const std::string rest =
      GENERATE(as<std::string>(), "/quant=tensor/page=16", "/quant=tensor/page=64/cap=30/causal=1",
               "/quant=tensor/paged=0", "/quant=page/page=64", "/quant=page/page=128/cap=30");
  const std::string implementation = GENERATE("pipelined", "pipelined_x16");
  CAPTURE(rest, implementation);
  const Problem problem = parse_case(text + rest);
  const Tensors tensors = workload::make_tensors(problem);
  const auto expected = outputs(problem, tensors, implementation, "eager");
  for (const std::string& schedule : schedules) {
    CAPTURE(schedule);
    CHECK(outputs(problem, tensors, implementation, schedule) == expected);
  }
}

TEST_CASE("two runs give the same bits, with and without a key split") {
  const std::string keys = GENERATE(as<std::string>(), "sk=70", "sk=1100");
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=3/d=128/q=fp8/kv=fp8/quant=tensor/lse=1/" + keys);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation("pipelined"), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto first = run.run({}, rows).rows;
  CHECK(run.run({}, rows).rows == first);
  CHECK(outputs(problem, tensors, "pipelined", "") == first); // planned again
}

TEST_CASE("a sweep of schedules shows a missing wait, and none without one") {
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=150/d=128/q=fp8/kv=fp8/page=16/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<std::string> list = {"eager", "eager,random:1", "lazy", "lazy,random:1"};
  const Implementation& pipelined = find_implementation("pipelined");
  CHECK_FALSE(harness::sweep(pipelined, problem, tensors, list));
  for (const std::string name : {"v_read", "v_arrived_n"}) {
    CAPTURE(name);
    const harness::SourceMutant mutant = test::mutant_named("pipelined", name);
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    const auto failure = harness::sweep(pipelined, problem, tensors, list); // eager loads need no wait
    REQUIRE(failure);
    CHECK(failure->index >= 2);
  }
}

TEST_CASE("a page beyond 4 GiB is wrong where its place is cut to 32 bits", "[slow]") {
  const auto failure = failure_of("rebase_64_bits", "^page_ids/sglang/linear/page=64/quant=tensor", {});
  REQUIRE(failure);
  CHECK(failure->outcome.kind() == OutcomeKind::inaccurate);
}

// All of them, under all probes: fmha950 probe --impl pipelined --mutants.
TEST_CASE("a probe fails without a clamp, a mask, a factor or a descale of its own", "[slow]") {
  const std::string mutant =
      GENERATE(as<std::string>(), "page_clamp_rebased", "page_clamp_scattered", "token_clamp", "unused_slots",
               "tail_mask", "diagonal_mask", "v_behind_k", "threshold", "shift_cancelled", "lse_base",
               "output_rescaled", "nothing_seen", "row_end", "v_descale_ratio", "lse_descale", "descale_ring",
               "descale_of_tile", "combine_base");
  CAPTURE(mutant);
  CHECK(failure_of(mutant, "/sglang/linear/page=(16|64|1024)/quant=", {}));
}

TEST_CASE("a probe fails without a wait or a barrier, under some schedule", "[slow]") {
  const std::string mutant =
      GENERATE(as<std::string>(), "first_k_arrived", "drain_of_two_tiles", "k_arrived", "k_arrived_n",
               "v_arrived", "v_arrived_n", "page_before_tiles", "barrier_0", "barrier_1", "barrier_2",
               "barrier_3", "k_read", "v_read", "last_v_read", "drain_barrier");
  CAPTURE(mutant);
  CHECK(failure_of(mutant, "^(lengths/keys|uneven_lengths)/sglang/linear/page=(16|64)/quant=tensor",
                   schedules));
}
