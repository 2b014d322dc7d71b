// append_prefill: how baseline declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

TEST_CASE("append_prefill: P is rounded to what the plan declares") {
  check_probability_types(
      {
          {"baseline", "append_prefill/h=2:1/sq=8/sk=128/d=64/q=bf16"},
          {"baseline", "append_prefill/h=2:1/sq=8/sk=128/d=64/q=fp16"},
          {"baseline", "append_prefill/h=2:1/sq=8/sk=128/d=128/q=bf16"},
          {"baseline", "append_prefill/h=2:1/sq=8/sk=128/d=128/q=fp16"},
          {"baseline_two_launch", "append_prefill/h=2:1/sq=8/sk=128"},
      },
      {"append_"});
}
