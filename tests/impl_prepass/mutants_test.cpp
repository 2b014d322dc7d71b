// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "tests/support/kernel_checks.hpp"
#include "tests/support/mutants.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("the attention kernel gives the same bits under every schedule", "[slow]") {
  // All eight waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
  const std::string text = GENERATE(as<std::string>(), "batch_prefill/h=8:1/sq=32/sk=470/d=128/page=16/lse=1",
                                    "batch_prefill/h=8:1/sq=32/sk=470/d=192:128/lse=1",
                                    "batch_prefill/h=8:1/sq=32/sk=470/d=192:128/kv=fp8/quant=page/lse=1");
  CAPTURE(text);
  test::check_same_bits_under_every_schedule("prepass", text);
}

TEST_CASE("sparse: the attention kernels give the same bits under every schedule") {
  // Six tiles of either tiling and a part of one, across the end of the prefix list; a kernel each, of 144
  // heads with waves that have none.
  const std::string heads = GENERATE("16", "32", "48", "144");
  CAPTURE(heads);
  test::check_same_bits_under_every_schedule(
      "prepass", "sparse_prefill/h=" + heads +
                     "/n=2/pool=600/chunk=90/kv=bf16/prefix=370,3/extend=47,0/scale=0.05/sinklogit=1/lse=1");
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  test::check_mutants_differ("prepass");
}

TEST_CASE("every mutant is killed", "[slow]") {
  // Of the many forms of the cache those that a mutant may depend on.
  test::check_mutants_killed(
      "prepass", 86,
      "/sglang/linear/page=16/quant=(none|tensor|page)$|^lengths/keys/.*/page=48/quant=none$|"
      "^page_permutation/single/4098/|^sparse_|^(lengths/keys|requests|page_descales|mask/both)/.*/"
      "d=192:128$");
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

TEST_CASE("a missing wait shows under timed, too: other bits than under eager are a hazard") {
  const Problem problem = parse_case("batch_prefill/h=8:1/sq=32/sk=150/d=128/page=16/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseOracle oracle(problem, tensors);
  harness::AccuracyOptions options;
  options.variations = {{"eager", "timed"}, {}, {"fma"}};
  const auto judged = [&] {
    harness::Record record;
    harness::judge_case(find_implementation("prepass"), problem, tensors, options, oracle, record);
    return record.outcome;
  };
  CHECK(judged().kind() == OutcomeKind::passed);
  const harness::SourceMutant mutant = test::mutant_named("prepass", "prepass_attention_bf16/k_read");
  const hip::CodeObjectOverride stands_in(mutant.code_object, harness::code_of(mutant));
  const Outcome outcome = judged();
  CHECK(outcome.kind() == OutcomeKind::hazard);
  CHECK_THAT(outcome.reason(),
             Catch::Contains("between schedule=eager mfma=fma and schedule=timed mfma=fma"));
}

// With a sink a token without rows has a denominator that is not 0: nothing_seen shows where there is none.
TEST_CASE("sparse-matrix: each form of rows and lists has a mutant that fails it", "[slow]") {
  test::check_list_notices("sparse-matrix", "h=64/n=[0-9]+/pool=[0-9]+/chunk=[0-9]+/scale", "prepass",
                           "prepass_sparse_wide/extend_indptr");
  test::check_list_notices("sparse-matrix", "h=64/n=[0-9]+/pool=[0-9]+/chunk=[0-9]+/lists=dense", "prepass",
                           "prepass_sparse_wide/chunk_rows");
  test::check_list_notices("sparse-matrix",
                           "h=64/n=[0-9]+/pool=[0-9]+/chunk=[0-9]+/lists=empty/scale=[0-9.]+$", "prepass",
                           "prepass_sparse_wide/nothing_seen");
  test::check_list_notices("sparse-matrix", "kv=fp8/scale", "prepass",
                           "prepass_sparse_dequantise/scale_group_split");
  test::check_list_notices("sparse-matrix", "kv=fp8/lists=dense", "prepass",
                           "prepass_sparse_dequantise/scale_group_split");
  test::check_list_notices("sparse-matrix", "kv=fp8/lists=empty", "prepass",
                           "prepass_sparse_dequantise/scale_group_split");
  test::check_list_notices("sparse-matrix", "format=packed/scale", "prepass",
                           "prepass_sparse_dequantise/scale_group_packed");
  test::check_list_notices("sparse-matrix", "format=packed/lists=dense", "prepass",
                           "prepass_sparse_dequantise/scale_group_packed");
  test::check_list_notices("sparse-matrix", "format=packed/lists=empty", "prepass",
                           "prepass_sparse_dequantise/scale_group_packed");
}
