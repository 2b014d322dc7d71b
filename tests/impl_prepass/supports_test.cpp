// prepass says no with the first reason, in words.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

const std::string types = "only bf16 with bf16, bf16 with fp8, fp8 with bf16, fp8 with fp8 or fp16 with fp16";

} // namespace

TEST_CASE("problems that prepass refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"batch_prefill/h=8:1/sq=1/sk=1/d=64", "head_dim 64: only 128 or 192:128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=192:128/q=fp16/kv=fp16/o=fp16", "head_dim 192:128: only 128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=192:128/q=fp8/kv=fp8/quant=mx/page=32",
       "microscaling (quant=mx) with head_dim 192:128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=192:128/cap=30", "soft cap"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/window=8:0/sink=4", "attention-sink tokens"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/sinklogit=1", "a sink logit in the denominator"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/cap=30", "soft cap"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/q=fp16", "fp16 queries with bf16 keys: " + types},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/kv=fp16", "bf16 queries with fp16 keys: " + types},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/o=fp16", "fp16 output with bf16 keys: only bf16"},
  }));
  const Support support = find_implementation("prepass").supports(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
}

TEST_CASE("problems that prepass takes") {
  const std::string text =
      GENERATE(as<std::string>(), "batch_prefill/h=40:40/sq=1/sk=1/d=128",
               "batch_prefill/h=6:1/sq=0/sk=0/d=128/q=fp8/kv=fp8/quant=mx/page=32",
               "batch_prefill/h=8:1/sq=9/sk=4/d=128/kv=fp8/quant=page/window=3:1/lse=1",
               "batch_prefill/h=8:1/sq=1/sk=1/d=128/q=fp16/kv=fp16/o=fp16",
               "batch_prefill/h=128:128/sq=1/sk=1/d=192:128/q=fp8/kv=fp8/quant=page/page=64/layout=hnd",
               "batch_prefill/h=8:1/sq=1/sk=1/d=192:128/strided=1/window=9:0/lse=1",
               "sparse_prefill/h=16/n=1/pool=4/chunk=4/scale=1/kv=bf16",
               "sparse_prefill/h=144/n=1/pool=4/chunk=4/scale=1/kv=fp8/sinklogit=1/lse=1");
  CHECK(find_implementation("prepass").supports(parse_case(text)).why_not == "");
}
