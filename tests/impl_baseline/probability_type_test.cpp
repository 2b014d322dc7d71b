// How baseline declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

TEST_CASE("P is rounded to what the plan declares") {
  const auto [implementation, text] = GENERATE(table<std::string, std::string>({
      {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor"},
      {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
      {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64"},
      {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256"},
      {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/q=fp16/kv=fp16/o=fp16"},
      {"baseline", "append_prefill/h=2:1/sq=8/sk=128"},
      {"baseline", "append_prefill/h=2:1/sq=8/sk=128/q=fp16"},
      {"baseline_two_launch", "append_prefill/h=2:1/sq=8/sk=128"},
  }));
  check_probability_type(implementation, text);
}
