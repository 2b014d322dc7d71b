// What is true of baseline as it is registered and listed, both operators together.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("baseline refuses the operator that it has no kernels of") {
  const Problem problem =
      parse_case("sparse_prefill/h=16/n=1/pool=4/chunk=0/kv=bf16/prefix=4/extend=0/scale=0.1");
  CHECK(find_implementation("baseline").supports(problem).why_not ==
        "operator sparse_prefill: only batch_prefill and append_prefill");
}

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  test::check_kernels_are_subjects("baseline_", 30 + 24 + 60 + 38);
  test::check_kernels_are_subjects("append_", 4 * 3);
}
