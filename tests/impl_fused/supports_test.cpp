// fused says no with the first reason, in words.
#include "impl_fused/fused_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;

TEST_CASE("problems that fused refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"append_prefill/h=8:1/sq=1/sk=1", "operator append_prefill: only batch_prefill and sparse_prefill"},
      {"sparse_prefill/h=16/n=1/pool=8/chunk=8/scale=1/kv=bf16",
       "bf16 queries with bf16 keys: only fp8 with fp8"},
      {"batch_prefill/h=8:1/sq=1/sk=1", "bf16 queries with bf16 keys: only fp8 with fp8"},
      {"batch_prefill/h=8:1/sq=1/sk=1/kv=fp8/quant=mx", "bf16 queries with fp8 keys: only fp8 with fp8"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/o=fp16", "fp16 output with fp8 keys: only bf16"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=64/q=fp8/kv=fp8/quant=mx", "head_dim 64: only 128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/layout=vectorized", "vectorized layout: only linear"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/quant=page/page=32",
       "descales per page with pages of 32: a tile of 64 keys needs one descale"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/layout=hnd", "hnd layout: only linear"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/strided=1", "strided views of K and V"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/interleaved=1", "K and V interleaved in one pool"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/window=8:0", "a sliding window"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/sink=4", "attention-sink tokens"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/sinklogit=1", "a sink logit in the denominator"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/cap=30", "a soft cap"},
  }));
  const Support support = find_implementation("fused").supports(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
}

TEST_CASE("problems that fused_mxfp4 refuses, and why, and that it alone takes MXFP4") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"append_prefill/h=8:1/sq=1/sk=1", "operator append_prefill: only batch_prefill"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/quant=mx/page=32",
       "fp8 queries with fp8 keys: only fp8 with mxfp4"},
      {"batch_prefill/h=8:1/sq=1/sk=1/kv=mxfp4/page=32", "bf16 queries with mxfp4 keys: only fp8 with mxfp4"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=64/q=fp8/kv=mxfp4/page=32", "head_dim 64: only 128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=mxfp4/page=32/layout=hnd", "hnd layout: only linear"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=mxfp4/page=96",
       "pages of 96 tokens: only 32, 64, 128 or 1024"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=mxfp4/page=32/strided=1", "strided views of K and V"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=mxfp4/page=32/window=8:0", "a sliding window"},
  }));
  const Support support = find_implementation("fused_mxfp4").supports(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
  const Problem own = parse_case("batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=mxfp4/page=32");
  for (const auto& implementation : implementations())
    CHECK(implementation->supports(own).yes == (implementation->name() == "fused_mxfp4"));
}

TEST_CASE("the kernel of every quantisation and page size, and no other kernel") {
  const std::string all = "batch_prefill/h=6:1/sq=9/sk=4/q=fp8/kv=fp8/causal=1/lse=1";
  std::set<std::string> chosen;
  const auto check = [&](const std::string& form, const std::string& kernel) {
    CAPTURE(form);
    const Problem problem = parse_case(all + form);
    CHECK(find_implementation("fused").supports(problem).why_not == "");
    CHECK(fused::kernel_of(problem) == kernel);
    CHECK_NOTHROW(hip::load_kernel("fused", kernel));
    chosen.insert(kernel);
  };
  for (const std::string page : {"1", "16", "32", "64", "128", "1024"})
    for (const std::string table : {"", "/table=vllm"}) {
      const int size = std::stoi(page);
      check("/page=" + page + table, "attention_tensor");
      check("/quant=tensor/page=" + page + table, "attention_tensor");
      check("/quant=mx/page=" + page + table, size < 32 ? "attention_mx_keys" : "attention_mx");
      if (size >= 64) check("/quant=page/page=" + page + table, "attention_page");
    }
  CHECK(chosen.size() == 4);
  for (const std::string page : {"32", "64", "128", "1024"}) {
    const Problem problem =
        parse_case("batch_prefill/h=6:1/sq=9/sk=4/q=fp8/kv=mxfp4/causal=1/lse=1/page=" + page);
    CHECK(find_implementation("fused_mxfp4").supports(problem).why_not == "");
    CHECK(fused::code_object_of(problem) == "fused_mxfp4");
    CHECK_NOTHROW(hip::load_kernel("fused_mxfp4", fused::kernel_of(problem)));
  }
}
