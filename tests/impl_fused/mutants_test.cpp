// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "tests/support/kernel_checks.hpp"

#include <catch2/catch.hpp>

using namespace fmha950;

TEST_CASE("a kernel gives the same bits under every schedule", "[slow]") {
  // All four waves busy, eight tiles, a length off every boundary.
  const std::string form =
      GENERATE(as<std::string>(), "/quant=tensor", "/quant=mx", "/quant=mx/page=32", "/quant=page/page=64");
  CAPTURE(form);
  test::check_same_bits_under_every_schedule(
      "fused", "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/lse=1" + form);
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  test::check_mutants_differ("fused");
}

TEST_CASE("every mutant is killed", "[slow]") {
  // Of the many forms of the cache those that a mutant may depend on: every kernel.
  test::check_mutants_killed("fused", 35,
                             "/sglang/linear/page=(16/quant=tensor|(16|64)/quant=mx|64/quant=page)$|"
                             "^page_permutation/single/4098/");
}

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  test::check_kernels_are_subjects("fused", 4);
}
