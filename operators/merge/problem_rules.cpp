#include "interface/validate_detail.hpp"
#include "operators/merge/definition.hpp"
#include "operators/merge/merge_form.hpp"
#include "operators/paged/keys.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;

constexpr int64_t most_rows = std::numeric_limits<int32_t>::max(); // of all parts

bool is_float(ElementType type) { return type == bf16 || type == fp16 || type == fp32; }

int64_t tokens_of(const Problem& p) { return p.requests.empty() ? 0 : p.requests.front().query_length; }
int64_t rows_of(const Problem& p) { return tokens_of(p) * p.query_heads * merge_form(p)->parts; }

// Values of outputs alone: there is neither Q nor K, so what is a rule for these means nothing here.
bool has_partial_outputs(const Problem& p) {
  constexpr std::string_view known[] = {"normal", "outlier", "negative_zero", "uneven"};
  return std::ranges::find(known, p.values) != std::end(known);
}

std::string text_of_requests(const Problem& p) {
  std::string text;
  for (const Request& request : p.requests)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", request.query_length, request.key_length);
  return text.empty() ? "none" : text;
}

// A rule may rely on those before it.
const Rule rules[] = {
    {"parts", [](const Problem& p) { return merge_form(p) != nullptr; },
     [](const Problem&) -> std::string { return "absent"; }, "must be given for merge"},
    {"parts",
     [](const Problem& p) { return merge_form(p)->parts >= 1 && merge_form(p)->parts <= most_parts; },
     [](const Problem& p) { return fmt::format("{}", merge_form(p)->parts); }, "must be from 1 to 1024"},
    {"h", [](const Problem& p) { return p.query_heads >= 1; },
     [](const Problem& p) { return fmt::format("{}", p.query_heads); }, "must be at least 1"},
    {"h", [](const Problem& p) { return p.kv_heads == p.query_heads; },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); },
     "each head must have parts of its own"},
    {"requests",
     [](const Problem& p) {
       return p.requests.size() == 1 && p.requests.front().key_length == merge_form(p)->parts;
     },
     text_of_requests, "must be one, of all tokens, with parts as its keys"},
    {"n", [](const Problem& p) { return tokens_of(p) >= 0 && tokens_of(p) <= most_merged_tokens; },
     [](const Problem& p) { return fmt::format("{}", tokens_of(p)); }, "must be from 0 to 1048576 tokens"},
    {"parts", [](const Problem& p) { return rows_of(p) <= most_rows; },
     [](const Problem& p) { return fmt::format("{}", merge_form(p)->parts); },
     "must have less than 2^31 partial rows, parts * n * h"},
    {"d", [](const Problem& p) { return p.head_dim >= 1; },
     [](const Problem& p) { return fmt::format("{}", p.head_dim); }, "must be at least 1"},
    {"in", [](const Problem& p) { return is_float(p.kv_type) && p.query_type == p.kv_type; },
     [](const Problem& p) { return std::string(name_of(p.kv_type)); },
     "must be bf16, fp16 or fp32, and Q's type"},
    {"o", [](const Problem& p) { return is_float(p.output_type); },
     [](const Problem& p) { return std::string(name_of(p.output_type)); }, "must be bf16, fp16 or fp32"},
    {"spread",
     [](const Problem& p) { return merge_form(p)->spread >= 0 && merge_form(p)->spread <= most_spread; },
     [](const Problem& p) { return fmt::format("{}", merge_form(p)->spread); }, "must be from 0 to 10000"},
    {"empty",
     [](const Problem& p) {
       return merge_form(p)->empty_percent >= 0 && merge_form(p)->empty_percent <= 100;
     },
     [](const Problem& p) { return fmt::format("{}", merge_form(p)->empty_percent); },
     "must be from 0 to 100 percent"},
    {"values", has_partial_outputs, [](const Problem& p) { return p.values; },
     "must be normal, outlier, negative_zero or uneven: there are neither queries nor keys"},
    {"scale", [](const Problem& p) { return p.scale && *p.scale == 1; },
     [](const Problem& p) { return p.scale ? fmt::format("{}", *p.scale) : "absent"; },
     "must be 1, scores are LSEs"},
    {"calls", [](const Problem& p) { return p.calls == 1; },
     [](const Problem& p) { return fmt::format("{}", p.calls); },
     "must be absent, only append_prefill comes in several calls"},
};

// That a case string could not name.
void refuse_fields_of_attention(const Problem& p) {
  constexpr std::string_view judged_by_rules[] = {"sq", "sk", "q", "kv", "scale"};
  for (const case_keys::Key& key : case_keys::paged_keys.keys) {
    const bool shared =
        std::ranges::find(merge_keys.keys, key.name, &case_keys::Key::name) != merge_keys.keys.end();
    // `layout` is a key of both, and another one.
    if (key.name != "layout" &&
        (shared || std::ranges::find(judged_by_rules, key.name) != std::end(judged_by_rules)))
      continue;
    if (const std::string value = key.print(p); !value.empty())
      throw InvalidInput(std::string(key.name), value, "must be absent, merge has none");
  }
}

} // namespace

void check_merge(const Problem& problem) {
  check_rules(problem, rules);
  refuse_fields_of_attention(problem);
}

} // namespace fmha950::operators
