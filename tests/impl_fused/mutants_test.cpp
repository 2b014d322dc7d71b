// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("a kernel gives the same bits under every schedule", "[slow]") {
  // All four waves busy, eight tiles, a length off every boundary.
  const std::string form =
      GENERATE(as<std::string>(), "/quant=tensor", "/quant=mx", "/quant=mx/page=32", "/quant=page/page=64");
  CAPTURE(form);
  test::check_same_bits_under_every_schedule(
      "fused", "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/lse=1" + form);
}

TEST_CASE("MXFP4: the kernel gives the same bits under every schedule", "[slow]") {
  test::check_same_bits_under_every_schedule(
      "fused_mxfp4", "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=mxfp4/page=32/lse=1");
}

TEST_CASE("sparse: the kernels give the same bits under every schedule", "[slow]") {
  // Several tiles and a part of one, across the end of the prefix list; every number of heads of a workgroup.
  const std::string implementation = GENERATE("fused", "fused_software", "fused_fp8_pv");
  const std::string form = GENERATE(as<std::string>(), "h=16", "h=32/format=packed", "h=64/format=packed");
  CAPTURE(implementation, form);
  test::check_same_bits_under_every_schedule(
      implementation, "sparse_prefill/n=2/pool=600/chunk=90/kv=fp8/prefix=370,3/extend=47,0/scale=0.05/"
                      "sinklogit=1/lse=1/" +
                          form);
}

TEST_CASE("every mutant of the lists is another code object than the product's") {
  for (const std::string implementation : {"fused", "fused_software", "fused_fp8_pv", "fused_mxfp4"})
    test::check_mutants_differ(implementation);
}

TEST_CASE("every mutant is killed", "[slow]") {
  // Of the many forms of the cache those that a mutant may depend on: every kernel.
  const auto [implementation, count] = GENERATE(table<std::string, size_t>(
      {{"fused", 68}, {"fused_software", 6}, {"fused_fp8_pv", 5}, {"fused_mxfp4", 33}}));
  test::check_mutants_killed(
      implementation, count,
      "/sglang/linear/page=(16/quant=tensor|(16|64)/quant=mx|64/quant=page|32/quant=mx/kv=mxfp4)$|"
      "/vllm/linear/page=64/quant=mx/kv=mxfp4$|"
      "^page_permutation/single/4098/|^sparse_");
}

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  test::check_kernels_are_subjects("fused", 4 + 1 + 14); // batch_prefill, MXFP4, sparse_prefill
}

// With a sink a token without rows has a denominator that is not 0: nothing_seen shows where there is none.
TEST_CASE("sparse-matrix: each form of rows and lists has a mutant that fails it", "[slow]") {
  test::check_list_notices("sparse-matrix", "kv=fp8/scale", "fused", "fused_sparse/scale_of_half");
  test::check_list_notices("sparse-matrix", "kv=fp8/lists=dense.*/sinklogit", "fused",
                           "fused_sparse/sink_in_denominator");
  test::check_list_notices("sparse-matrix", "kv=fp8/lists=empty/scale=[0-9.]+(/lse=1)?$", "fused",
                           "fused_sparse/nothing_seen");
  test::check_list_notices("sparse-matrix", "format=packed/scale", "fused", "fused_sparse/extend_indptr");
  test::check_list_notices("sparse-matrix", "format=packed/lists=dense", "fused",
                           "fused_sparse/value_scale_of_group");
  test::check_list_notices("sparse-matrix", "format=packed/lists=empty", "fused", "fused_sparse/chunk_rows");
}
