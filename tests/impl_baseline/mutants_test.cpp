// Every protection of the kernels is needed: without it some probe fails or the device reports a hazard,
// where the kernel itself passes. The kernels give the same bits under all schedules.
#include "tests/support/kernel_checks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("a kernel gives the same bits under every schedule", "[slow]") {
  // All four waves busy, eight tiles, pages smaller than a tile, a length off every boundary.
  const std::string text = GENERATE(
      as<std::string>(), "batch_prefill/h=8:1/sq=16/sk=470/d=128/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=64/layout=vectorized/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=128/layout=vectorized/causal=1/window=100:0/sink=70/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/quant=page/page=1/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=128/q=fp8/kv=fp8/quant=page/page=64/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=256/q=fp8/kv=fp8/layout=vectorized/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=64/kv=fp8/quant=tensor/causal=1/window=127:0/sinklogit=1/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=256/q=fp16/kv=fp8/o=fp16/quant=page/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=192:128/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=192:128/kv=fp8/quant=page/layout=vectorized/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=192:128/q=fp8/kv=fp8/quant=page/layout=hnd/page=48/lse=1",
      "batch_prefill/h=8:1/sq=16/sk=470/d=128/causal=1/window=100:0/sink=70/tree=16/lse=1",
      "batch_prefill/h=1:1/sq=128/sk=470/d=128/kv=fp8/quant=page/layout=vectorized/causal=1/tree=64/lse=1");
  CAPTURE(text);
  test::check_same_bits_under_every_schedule("baseline", text);
}

TEST_CASE("every mutant of the list is another code object than the product's") {
  test::check_mutants_differ("baseline");
}

TEST_CASE("every mutant of batch_prefill is killed", "[slow]") {
  // Of the many forms of the cache those that a mutant may depend on.
  test::check_mutants_killed(
      "baseline", 99,
      "/(linear|vectorized)/page=16/quant=(none|tensor|page)$|^lengths/keys/.*/page=48/quant=none$|^(lengths/"
      "keys|requests|page_descales)/.*/"
      "q=(bf16|fp16)$|^sink/odd_sinks/sglang/vectorized/page=1024/"
      "quant=none$|^page_descales/sglang/linear/page=1/|^page_permutation/(single/4098|gapped/0,4999)/|"
      "^lengths/keys/.*/d=192:128$",
      "batch_prefill");
}
