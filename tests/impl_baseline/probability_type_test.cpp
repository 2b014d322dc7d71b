// How baseline declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

TEST_CASE("P is rounded to what the plan declares") {
  check_probability_types(
      {
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp8/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp8/kv=fp8/quant=page/page=64"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/table=sglang"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp16/kv=fp16/o=fp16"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp8/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp8/kv=fp8/quant=page/page=64"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/table=sglang"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp16/kv=fp16/o=fp16"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp8/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp8/kv=fp8/quant=page/page=64"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/table=sglang"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp16/kv=fp16/o=fp16"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp16/kv=fp8/o=fp16/quant=page"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp16/kv=fp8/o=fp16/quant=page"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp16/kv=fp8/o=fp16/quant=page"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp16/kv=fp16/o=fp16/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/q=fp8/kv=fp8/quant=page/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp16/kv=fp16/o=fp16/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp8/kv=fp8/quant=page/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp16/kv=fp16/o=fp16/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=256/q=fp8/kv=fp8/quant=page/page=48"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128/q=fp16/kv=fp16/o=fp16"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128/q=fp8/kv=fp8/quant=page"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128/kv=fp8/quant=tensor"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=192:128/q=fp16/kv=fp8/o=fp16/quant=page"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/causal=1/tree=8"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=64/kv=fp8/quant=page/causal=1/tree=8"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/causal=1/tree=8"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/kv=fp8/quant=tensor/causal=1/tree=8"},
          {"baseline", "batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp8/kv=fp8/quant=tensor/causal=1/tree=8"},
      },
      {"baseline_"});
}
