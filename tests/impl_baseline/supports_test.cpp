// baseline says no with the first reason, in words.
#include "impl_baseline/baseline_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>

using namespace fmha950;

constexpr const char* tree_limit =
    "a tree mask but of bf16 queries at head_dim 64 and 128, and of fp8 queries at 128";

TEST_CASE("problems that baseline refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"batch_prefill/h=8:1/sq=1/sk=1/d=96", "head_dim 96: only 64, 128, 256 or 192:128"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/quant=mx", "microscaling (quant=mx)"},
      {"batch_prefill/h=8:1/sq=1/sk=1/kv=fp8/quant=mx", "microscaling (quant=mx)"},
      {"batch_prefill/h=8:1/sq=1/sk=1/kv=fp8/o=fp16", "fp16 output with fp8 keys: only bf16"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8", "fp8 queries with bf16 keys: only bf16 with bf16, bf16 with "
                                              "fp8, fp16 with fp16, fp16 with fp8 or fp8 with fp8"},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=256/causal=1/tree=8", tree_limit},
      {"batch_prefill/h=8:1/sq=1/sk=1/d=64/q=fp8/kv=fp8/causal=1/tree=8", tree_limit},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp16/kv=fp16/o=fp16/causal=1/tree=8", tree_limit},
      {"batch_prefill/h=8:1/sq=1/sk=1/o=fp16", "fp16 output with bf16 keys: only bf16"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp16/kv=fp16", "bf16 output with fp16 keys: only fp16"},
      {"batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/o=fp16", "fp16 output with fp8 keys: only bf16"},
  }));
  const Support support = find_implementation("baseline").supports(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
}

TEST_CASE("problems that baseline takes") {
  const std::string text = GENERATE(
      as<std::string>(), "batch_prefill/h=40:40/sq=1/sk=1/d=64", "batch_prefill/h=8:1/sq=1/sk=1/d=256/page=1",
      "batch_prefill/h=8:1/sq=1/sk=1/q=fp16/kv=fp16/o=fp16/layout=vectorized/strided=1",
      "batch_prefill/h=6:1/sq=0/sk=0/q=fp8/kv=fp8/quant=page/page=1/table=vllm",
      "batch_prefill/h=8:1/sq=1/sk=1/window=8:0/sink=4", "batch_prefill/h=8:1/sq=1/sk=1/layout=hnd/page=1",
      "batch_prefill/h=8:2/sq=1/sk=1/q=fp8/kv=fp8/quant=page/layout=hnd/page=544/interleaved=1",
      "batch_prefill/h=128:128/sq=1/sk=1/d=192:128/kv=fp8/quant=page/layout=hnd/page=544/strided=1/sink=4",
      "batch_prefill/h=8:1/sq=1/sk=1/page=544/layout=vectorized", "batch_prefill/h=8:1/sq=1/sk=1/page=256",
      "batch_prefill/h=64:8/sq=1/sk=1/d=64/kv=fp8/quant=tensor/causal=1/window=127:0/sinklogit=1",
      "batch_prefill/h=8:1/sq=1/sk=1/d=256/q=fp16/kv=fp8/o=fp16/quant=page/layout=vectorized/cap=30/sink=4/"
      "lse=1",
      "batch_prefill/h=64:8/sq=1/sk=1/d=64/kv=fp8/quant=page/page=544/causal=1/tree=64",
      "batch_prefill/h=8:1/sq=1/sk=1/q=fp8/kv=fp8/layout=vectorized/causal=1/tree=1",
      "batch_prefill/h=6:1/sq=9/sk=4/q=fp8/kv=fp8/window=3:1/sinklogit=1/cap=30/lse=1/paged=0");
  CHECK(find_implementation("baseline").supports(parse_case(text)).why_not == "");
}

TEST_CASE("every kernel that a problem is given exists, and every code object is given to some") {
  const auto variants = hip::code_object_variants();
  std::set<std::string> chosen;
  for (const char* const element :
       {"", "/q=fp16/kv=fp16/o=fp16", "/q=fp8/kv=fp8", "/q=fp8/kv=fp8/quant=tensor",
        "/q=fp8/kv=fp8/quant=page", "/q=fp8/kv=fp8/quant=page/page=64", "/kv=fp8", "/kv=fp8/quant=page",
        "/kv=fp8/quant=page/page=64", "/q=fp16/kv=fp8/o=fp16/quant=tensor",
        "/q=fp16/kv=fp8/o=fp16/quant=page", "/q=fp16/kv=fp8/o=fp16/quant=page/page=64", "/page=48",
        "/q=fp16/kv=fp16/o=fp16/page=544", "/q=fp8/kv=fp8/page=144", "/q=fp8/kv=fp8/quant=page/page=48",
        "/kv=fp8/quant=tensor/page=48", "/q=fp16/kv=fp8/o=fp16/quant=page/page=192"})
    for (const char* const head_dim : {"64", "128", "256", "192:128"})
      for (const char* const layout : {"linear", "vectorized", "hnd"}) {
        const auto [code_object, kernel] = baseline::choose_kernel(parse_case(
            std::string("batch_prefill/h=1:1/sq=1/sk=1/d=") + head_dim + element + "/layout=" + layout));
        CAPTURE(code_object, kernel);
        chosen.insert(code_object);
        CHECK_NOTHROW(hip::load_kernel(code_object, kernel));
      }
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  for (const char* const element : {"d=64", "d=128", "d=64/kv=fp8", "d=128/kv=fp8", "d=128/q=fp8/kv=fp8"})
    for (const char* const form :
         {"", "/page=48", "/quant=page", "/quant=page/page=64", "/quant=page/page=544"})
      for (const char* const layout : {"linear", "vectorized", "hnd"}) {
        if (has(form, "quant") && !has(element, "fp8")) continue;
        const Problem problem = parse_case(std::string("batch_prefill/h=1:1/sq=1/sk=1/causal=1/tree=8/") +
                                           element + form + "/layout=" + layout);
        const auto [code_object, kernel] = baseline::choose_kernel(problem);
        CAPTURE(code_object, kernel);
        CHECK(find_implementation("baseline").supports(problem).why_not == "");
        chosen.insert(code_object);
        CHECK_NOTHROW(hip::load_kernel(code_object, kernel));
      }
  CHECK(chosen.size() == 27 + 5 + 5);
  CHECK(std::ranges::count_if(variants, [](auto variant) { return variant.starts_with("baseline_"); }) == 37);
}
