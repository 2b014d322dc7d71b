// How fused declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

TEST_CASE("P is rounded to what the plan declares") {
  check_probability_types(
      {
          {"fused", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor"},
          {"fused", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
          {"fused", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=mx/page=64"},
          {"fused_mxfp4", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=mxfp4/page=64"},
          {"fused", "sparse_prefill/h=16/n=4/pool=64/chunk=64/scale=0.0442/kv=fp8"},
          {"fused_software", "sparse_prefill/h=16/n=4/pool=64/chunk=64/scale=0.0442/kv=fp8"},
          {"fused_fp8_pv", "sparse_prefill/h=16/n=4/pool=64/chunk=64/scale=0.0442/kv=fp8"},
      },
      {"fused"});
}
