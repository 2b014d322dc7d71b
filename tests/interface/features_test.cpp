// What a problem asks for, what an implementation has, and the reason where they do not meet.
#include "interface/case_string.hpp"
#include "interface/features.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const Feature& feature : required_features(parse_case(text))) words.push_back(feature.words);
  return words;
}

Feature plain(const std::string& kind) { return {kind, "", kind}; }
Feature sized(int size) { return {"size", std::to_string(size), "size " + std::to_string(size)}; }

} // namespace

TEST_CASE("a problem asks for what it has, in one order") {
  using Words = std::vector<std::string>;
  CHECK(words_of("batch_prefill/h=8:2/sq=1/sk=1") ==
        Words{"operator batch_prefill", "2 KV heads", "4 heads per KV head", "bf16 queries with bf16 keys",
              "bf16 output with bf16 keys", "head_dim 128", "linear layout", "page table sglang",
              "pages of 16 tokens", "mode group"});
  CHECK(words_of(
            "batch_prefill/h=8:1/sq=1/sk=1/d=64/q=fp8/kv=fp8/o=fp16/quant=page/layout=vectorized/strided=1/"
            "window=3:0/sink=4/sinklogit=1/cap=30/causal=1/lse=1/table=vllm/page=64/paged=0/mode=batch") ==
        Words{"operator batch_prefill", "1 KV heads", "8 heads per KV head", "fp8 queries with fp8 keys",
              "fp16 output with fp8 keys", "head_dim 64", "vectorized layout",
              "descales per page with pages of 64", "strided views of K and V", "a sliding window",
              "attention-sink tokens", "a sink logit in the denominator", "a soft cap", "a causal mask",
              "LSE as an output", "page table vllm", "pages of 64 tokens", "consecutive pages (paged=0)",
              "mode batch"});
  const Words other_pools = words_of("batch_prefill/h=8:2/sq=1/sk=1/layout=hnd/interleaved=1");
  CHECK(other_pools[6] == "hnd layout");
  CHECK(other_pools[7] == "K and V interleaved in one pool");
  const Words tree = words_of("batch_prefill/h=8:2/sq=1/sk=1/causal=1/tree=8");
  CHECK(std::ranges::count(tree, "a tree mask") == 1);
  CHECK(words_of("append_prefill/h=8:1/sq=1/sk=1/calls=3").back() == "3 calls");
  CHECK(words_of("batch_prefill/h=8:2/sq=1/sk=1/deterministic=1").back() ==
        "bits that do not depend on the batch (deterministic=1)");
  CHECK(words_of("sparse_prefill/h=16/n=1/pool=8/chunk=8/scale=1/kv=fp8/format=packed") ==
        Words{"operator sparse_prefill", "1 KV heads", "16 heads per KV head", "fp8 queries with fp8 keys",
              "bf16 output with fp8 keys", "head_dim 512", "packed rows"});
}

TEST_CASE("a field of pages away from its default asks, whether the operator has pages or not") {
  const Problem plain = parse_case("sparse_prefill/h=16/n=1/pool=8/chunk=8/scale=1/kv=fp8/format=packed");
  const size_t usual = required_features(plain).size();
  const auto asks_for = [&](std::string_view kind, auto Problem::* field, auto value) {
    Problem problem = plain;
    problem.*field = value;
    const auto all = required_features(problem);
    CHECK(all.size() == usual + 1);
    return std::ranges::any_of(all, [&](const Feature& feature) { return feature.kind == kind; });
  };
  CHECK(asks_for(feature::layout, &Problem::kv_layout, KvLayout::vectorized));
  CHECK(asks_for(feature::mx, &Problem::quantisation, Quantisation::mx));
  CHECK(asks_for(feature::strided, &Problem::strided, true));
  CHECK(asks_for(feature::interleaved, &Problem::interleaved, true));
  CHECK(asks_for(feature::window, &Problem::window, Window{3, 0}));
  CHECK(asks_for(feature::sink_tokens, &Problem::sink_tokens, 4));
  CHECK(asks_for(feature::tree, &Problem::tree_nodes, 4));
  CHECK(asks_for(feature::page_table, &Problem::page_table, PageTable::vllm));
  CHECK(asks_for(feature::page_size, &Problem::page_size, 64));
  CHECK(asks_for(feature::consecutive_pages, &Problem::paged, false));
  CHECK(asks_for(feature::mode, &Problem::mode, BatchMode::batch));
}

TEST_CASE("quantisations are features of their own") {
  const auto asks_for = [](const std::string& rest, std::string_view kind) {
    const auto all = required_features(parse_case("batch_prefill/h=1:1/sq=1/sk=1/kv=fp8" + rest));
    return std::ranges::any_of(all, [&](const Feature& feature) { return feature.kind == kind; });
  };
  CHECK(asks_for("/quant=tensor", feature::tensor_descales));
  CHECK(asks_for("/quant=page", feature::page_descales));
  CHECK(asks_for("/quant=mx", feature::mx));
  for (const auto kind : {feature::tensor_descales, feature::page_descales, feature::mx})
    CHECK_FALSE(asks_for("", kind));
}

TEST_CASE("what was not declared is refused, in the words of the feature") {
  CHECK(support_of(std::vector{plain("a hat")}, {}).why_not == "a hat");
  const std::vector<FeatureSet> sets = {{{"a hat"}, {"size", {"64", "128", "256"}}}};
  CHECK(support_of(std::vector{plain("a hat"), sized(64)}, sets).yes);
  CHECK(support_of(std::vector<Feature>{}, sets).yes);
  CHECK(support_of(std::vector{plain("a hat"), plain("shoes"), sized(32)}, sets).why_not == "shoes");
  CHECK(support_of(std::vector{sized(32), plain("shoes")}, sets).why_not == "size 32: only 64, 128 or 256");
  // Neither has a kind without a value all values, nor the other way round.
  CHECK_FALSE(support_of(std::vector{Feature{"a hat", "red", "a red hat"}}, sets).yes);
  CHECK_FALSE(support_of(std::vector{plain("size")}, sets).yes);
}

TEST_CASE("an implementation may say why it has no other values") {
  const std::vector<FeatureSet> sets = {{{"size", {"64"}, "tiles have 64"}}};
  CHECK(support_of(std::vector{sized(32)}, sets).why_not == "size 32: tiles have 64");
  const std::vector<FeatureSet> none = {{{"size", {}, "no sizes at all"}}};
  CHECK(support_of(std::vector{sized(32)}, none).why_not == "no sizes at all");
}

TEST_CASE("numbers up to one") {
  const std::vector<FeatureSet> sets = {{up_to("size", 64)}};
  CHECK(support_of(std::vector{sized(0)}, sets).yes);
  CHECK(support_of(std::vector{sized(64)}, sets).yes);
  CHECK(support_of(std::vector{sized(65)}, sets).why_not == "size 65: at most 64");
  for (const std::string value : {"", "-1", "6x", "x", "99999999999999999999"})
    CHECK_FALSE(support_of(std::vector{Feature{"size", value, "size"}}, sets).yes);
  const std::vector<FeatureSet> any = {{any_number("size")}};
  CHECK(support_of(std::vector{sized(1 << 30)}, any).yes);
}

TEST_CASE("one set must have all, and the reason comes from those that have what was asked for before") {
  const std::vector<FeatureSet> sets = {{{"operator", {"a"}}, {"size", {"1"}}, {"a hat"}},
                                        {{"operator", {"a"}}, {"size", {"2"}}},
                                        {{"operator", {"b"}}, {"size", {"3"}}}};
  const auto reason = [&](const std::string& op, int size) {
    return support_of(std::vector{Feature{"operator", op, "operator " + op}, sized(size), plain("a hat")},
                      sets)
        .why_not;
  };
  CHECK(reason("a", 1) == "");
  CHECK(reason("a", 2) == "a hat");
  CHECK(reason("a", 3) == "size 3: only 1 or 2");
  CHECK(reason("b", 1) == "size 1: only 3");
  CHECK(reason("c", 1) == "operator c: only a and b");
}
