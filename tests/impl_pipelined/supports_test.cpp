// pipelined says no with the first reason, in words.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "operators/append_prefill/append_prefill.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

const std::string fp8_case = "batch_prefill/h=8:1/sq=1/sk=1/d=128/q=fp8/kv=fp8";

Support support_of(const Problem& problem) {
  return find_implementation(GENERATE("pipelined", "pipelined_x16", "pipelined_direct_p")).supports(problem);
}

} // namespace

TEST_CASE("problems that pipelined refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128", "bf16 queries with bf16 keys: only fp8 with fp8"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=128/kv=fp8", "bf16 queries with fp8 keys: only fp8 with fp8"},
      {fp8_case + "/o=fp16", "fp16 output with fp8 keys: only bf16"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=64/q=fp8/kv=fp8", "head_dim 64: only 128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=256/q=fp8/kv=fp8", "head_dim 256: only 128"},
      {fp8_case + "/layout=vectorized", "vectorized layout: only linear"},
      {fp8_case + "/quant=mx/page=64", "MX quantisation"},
      {fp8_case + "/quant=page/page=1",
       "descales per page with pages of 1: a tile of 64 keys needs one descale"},
      {fp8_case + "/quant=page/page=32",
       "descales per page with pages of 32: a tile of 64 keys needs one descale"},
      {fp8_case + "/layout=hnd", "hnd layout: only linear"},
      {fp8_case + "/strided=1", "strided views of K and V"},
      {fp8_case + "/interleaved=1", "K and V interleaved in one pool"},
      {fp8_case + "/window=8:0", "a sliding window"},
      {fp8_case + "/sinklogit=1", "a sink logit in the denominator"},
  }));
  CAPTURE(text);
  const Support support = support_of(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
}

TEST_CASE("pipelined refuses the operators that it is not for") {
  Problem problem = parse_case(fp8_case);
  problem.op = append_prefill;
  CHECK(support_of(problem).why_not == "operator append_prefill: only batch_prefill");
}

TEST_CASE("pipelined refuses attention-sink tokens whether or not a window is there") {
  Problem problem = parse_case(fp8_case);
  problem.sink_tokens = 4;
  CHECK(support_of(problem).why_not == "attention-sink tokens");
}

TEST_CASE("pipelined: rows of a token have 24 bits from one to the next") {
  const std::string rest = "/sq=1/sk=1/d=128/q=fp8/kv=fp8/quant=tensor";
  CHECK(support_of(parse_case("batch_prefill/h=131071:131071" + rest)).why_not == "");
  CHECK(support_of(parse_case("batch_prefill/h=131072:131072" + rest)).why_not ==
        "131072 KV heads: at most 131071");
}

TEST_CASE("problems that pipelined takes") {
  const std::string rest = GENERATE(
      as<std::string>(), "", "/quant=tensor/page=1/causal=1", "/quant=tensor/page=16/cap=30",
      "/quant=tensor/page=32/table=vllm", "/quant=tensor/page=128/lse=1", "/quant=page/page=64/cap=30/lse=1",
      "/quant=page/page=1024/causal=1/table=vllm", "/quant=tensor/paged=0", "/mode=group", "/scale=0.3");
  CAPTURE(rest);
  const Problem problem = parse_case(fp8_case + rest);
  for (const char* with_exponentials : {"pipelined", "pipelined_x16"})
    CHECK(find_implementation(with_exponentials).supports(problem).why_not == "");
}

TEST_CASE("pipelined takes every grouping of heads and requests without queries or keys") {
  const std::string text =
      GENERATE(as<std::string>(), "batch_prefill/h=40:40/sq=0,3/sk=7,0/d=128/q=fp8/kv=fp8",
               "batch_prefill/h=5:1/sq=9/sk=4/d=128/q=fp8/kv=fp8/causal=1",
               "batch_prefill/h=40:1/sq=9/sk=4/d=128/q=fp8/kv=fp8");
  CHECK(support_of(parse_case(text)).why_not == "");
}
