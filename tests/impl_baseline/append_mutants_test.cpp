// Every protection of the kernels of append_prefill is needed, in one launch as in two. They give the same
// bits under all schedules.
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("append_prefill: a kernel gives the same bits under every schedule", "[slow]") {
  const std::string text =
      GENERATE(as<std::string>(), "append_prefill/h=8:1/sq=16/sk=470/d=128/page=16/lse=1",
               "append_prefill/h=8:1/sq=16/sk=470/d=64/q=fp16/page=1/lse=1");
  CAPTURE(text);
  test::check_same_bits_under_every_schedule("baseline", text);
}

TEST_CASE("append_prefill: every mutant of the list is another code object than the product's") {
  test::check_mutants_differ("baseline_two_launch");
}

TEST_CASE("every mutant of append_prefill is killed in one launch and in two", "[slow]") {
  const std::string name = GENERATE(as<std::string>(), "baseline", "baseline_two_launch");
  test::check_mutants_killed(name, 45, "^append_.*/(page=16/bf16/d=128|page=1/bf16/d=64)$|^append_page_ids/",
                             "append_prefill");
}
