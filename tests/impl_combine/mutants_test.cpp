// Every protection of the kernels is needed: without it some probe fails, where the kernel itself passes. The kernels
// give the same bits under all schedules, and each is a subject of ISA mutants.
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("the kernel gives the same bits under every schedule") {
  // Two workgroups, the last one with waves and lanes that have no row; columns that some lanes have none of.
  const std::string rest = GENERATE("", "/o=fp32", "/o=fp16", "/in=bf16", "/in=fp16/o=fp16");
  test::check_same_bits_under_every_schedule("combine",
                                             "merge/parts=6/h=3/n=11/d=72" + rest + "/empty=20/lse=1");
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  test::check_mutants_differ("combine");
}

TEST_CASE("every mutant is killed", "[slow]") { test::check_mutants_killed("combine", 11, "^merge_"); }

TEST_CASE("every kernel is a subject of ISA mutants") { test::check_kernels_are_subjects("combine", 5); }

TEST_CASE("merge-grid notices a mutant in each of its dimensions", "[slow]") {
  test::check_list_notices("merge-grid", "layout=heads/lse=1", "combine", "combine/merge_base");
  test::check_list_notices("merge-grid", "empty=", "combine", "combine/merge_empty");
  test::check_list_notices("merge-grid", "empty=90.*lse=1|lse=1.*empty=90", "combine",
                           "combine/merge_positive");
  test::check_list_notices("merge-grid", "parts=3/.*base=2", "combine", "combine/merge_part_end");
}
