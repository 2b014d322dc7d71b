// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "tests/support/kernel_checks.hpp"
#include "tests/support/mutants.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("the same bits under every schedule", "[slow]") {
  // All eight waves busy, seven tiles or four parts of four and five, a length off every boundary; every way
  // of paging.
  const std::string keys = GENERATE("440", "1070");
  const std::string text = "batch_prefill/h=8:1/sq=32/d=128/q=fp8/kv=fp8/lse=1/sk=" + keys;
  const std::string rest =
      GENERATE(as<std::string>(), "/quant=tensor/page=16", "/quant=tensor/page=64/cap=30/causal=1",
               "/quant=tensor/paged=0", "/quant=page/page=64", "/quant=page/page=128/cap=30");
  const std::string implementation = GENERATE("pipelined", "pipelined_x16");
  CAPTURE(keys, rest, implementation);
  test::check_same_bits_under_every_schedule(implementation, text + rest);
}

TEST_CASE("direct P: the same bits under every schedule", "[slow]") {
  const std::string rest =
      GENERATE(as<std::string>(), "/quant=tensor/page=16", "/quant=tensor/page=64/causal=1",
               "/quant=tensor/paged=0", "/quant=page/page=64");
  CAPTURE(rest);
  test::check_same_bits_under_every_schedule("pipelined_direct_p",
                                             "batch_prefill/h=8:1/sq=32/d=128/q=fp8/kv=fp8/sk=1070" + rest);
}

TEST_CASE("two runs give the same bits, with and without a key split") {
  const std::string keys = GENERATE(as<std::string>(), "sk=70", "sk=1100");
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=3/d=128/q=fp8/kv=fp8/quant=tensor/lse=1/" + keys);
  const Tensors tensors = workload::make_tensors(problem);
  const Implementation& pipelined = find_implementation("pipelined");
  harness::CaseRun run(pipelined, problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto first = run.run({}, rows).rows;
  CHECK(run.run({}, rows).rows == first);
  CHECK(harness::CaseRun(pipelined, problem, tensors).run({}, rows).rows == first); // planned again
}

TEST_CASE("a sweep of schedules shows a missing wait, and none without one") {
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=150/d=128/q=fp8/kv=fp8/page=16/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<std::string> list = {"eager", "eager,random:1", "lazy", "lazy,random:1"};
  const Implementation& pipelined = find_implementation("pipelined");
  CHECK_FALSE(harness::sweep(pipelined, problem, tensors, list));
  for (const std::string name : {"v_read", "v_arrived_n"}) {
    CAPTURE(name);
    const harness::SourceMutant mutant = test::mutant_named("pipelined", "pipelined_f8f6f4/" + name);
    const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
    const auto failure = harness::sweep(pipelined, problem, tensors, list); // eager loads need no wait
    REQUIRE(failure);
    CHECK(failure->index >= 2);
  }
}

TEST_CASE("every mutant is killed", "[slow]") {
  const auto [implementation, count] = GENERATE(
      table<std::string, size_t>({{"pipelined", 79}, {"pipelined_x16", 20}, {"pipelined_direct_p", 4}}));
  // Of the many forms of the cache those that choose another kernel.
  test::check_mutants_killed(implementation, count, "/sglang/linear/page=(16|64)/quant=(tensor|page)$");
}
