// How prepass declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

TEST_CASE("P is rounded to what the plan declares") {
  check_probability_types(
      {
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor"},
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128"},
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128/q=fp16/kv=fp16/o=fp16"},
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128"},
          {"prepass", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128/q=fp8/kv=fp8/quant=page/page=64"},
          {"prepass", "sparse_prefill/h=16/n=4/pool=64/chunk=64/scale=0.0442/kv=fp8"},
          {"prepass", "sparse_prefill/h=16/n=4/pool=64/chunk=64/scale=0.0442"},
          {"prepass", "sparse_prefill/h=128/n=4/pool=64/chunk=64/scale=0.0442"},
      },
      {"prepass"});
}
