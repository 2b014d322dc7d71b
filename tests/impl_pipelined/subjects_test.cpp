// No kernel of the implementation is left out of the subjects of ISA mutants, and every listed mutant is one.
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  test::check_kernels_are_subjects("pipelined_", 30 + 1); // and the combine step
}

TEST_CASE("every mutant of the lists is another code object than the product's") {
  for (const std::string implementation : {"pipelined", "pipelined_x16", "pipelined_direct_p"})
    test::check_mutants_differ(implementation);
}
