// Keys of batch_prefill and append_prefill.
#include "interface/case_keys.hpp"
#include "interface/error.hpp"

#include <algorithm>

namespace fmha950::case_keys {
namespace {

using namespace case_text;

bool read_type(std::string_view text, ElementType& type) {
  return read_name(text, type) && type <= ElementType::fp8;
}

// Length lists print as one value when all requests agree; print_repeat() then says how many there are.
std::string print_request_lengths(const Problem& problem, int Request::* length) {
  std::vector<int> lengths;
  for (const Request& request : problem.requests) lengths.push_back(request.*length);
  return problem.trace ? "" : print_lengths(std::move(lengths));
}

std::string print_repeat(const Problem& problem) {
  const auto& all = problem.requests;
  const bool equal = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  return equal && all.size() > 1 && !problem.trace ? std::to_string(all.size()) : "";
}

constexpr Key keys[] = {
    {"h", "must be Hq:Hkv, two head counts of at least 1",
     [](auto text, Draft& d) { return read_pair(text, d.problem.query_heads, d.problem.kv_heads, 1); },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); }},
    {"b", "must be a number of requests from 1 to 65536",
     [](auto text, Draft& d) { return read_number(text, d.repeat.emplace(), 1) && *d.repeat <= 65536; },
     print_repeat},
    {"sq", "must be query lengths >= 0, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, d.query_lengths); },
     [](const Problem& p) { return print_request_lengths(p, &Request::query_length); }},
    {"sk", "must be key lengths >= 0, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, d.key_lengths); },
     [](const Problem& p) { return print_request_lengths(p, &Request::key_length); }},
    {"trace", "must be NAME@FIRST+COUNT or NAME@FIRST+COUNT:SCALE with COUNT and SCALE of at least 1",
     [](auto text, Draft& d) { return read_trace(text, d.problem.trace); },
     [](const Problem& p) { return p.trace ? print_trace(*p.trace) : ""; }},
    {"d", "must be a head dimension of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.head_dim, 1); },
     [](const Problem& p) { return std::to_string(p.head_dim); }},
    {"q", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.query_type); },
     print_field<&Problem::query_type>},
    {"kv", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.kv_type); }, print_field<&Problem::kv_type>},
    {"o", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.output_type); },
     print_field<&Problem::output_type>},
    {"quant", "must be one of none, tensor, page, mx",
     [](auto text, Draft& d) { return read_name(text, d.problem.quantisation); },
     print_field<&Problem::quantisation>},
    {"table", "must be one of sglang, vllm",
     [](auto text, Draft& d) { return read_name(text, d.problem.page_table); },
     print_field<&Problem::page_table>},
    {"layout", "must be one of linear, vectorized",
     [](auto text, Draft& d) { return read_name(text, d.problem.kv_layout); },
     print_field<&Problem::kv_layout>},
    {"page", "must be a number of tokens of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.page_size, 1); },
     print_field<&Problem::page_size>},
    {"paged", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.paged); },
     print_field<&Problem::paged>},
    {"strided", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.strided); },
     print_field<&Problem::strided>},
    {"mode", "must be one of batch, group",
     [](auto text, Draft& d) { return read_name(text, d.problem.mode); }, print_field<&Problem::mode>},
    {"causal", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.causal); },
     print_field<&Problem::causal>},
    {"window", "must be LEFT:RIGHT, two numbers of tokens >= 0",
     [](auto text, Draft& d) {
       Window& window = d.problem.window.emplace();
       return read_pair(text, window.left, window.right, 0);
     },
     [](const Problem& p) { return p.window ? fmt::format("{}:{}", p.window->left, p.window->right) : ""; }},
    {"sink", "must be a number of tokens >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.sink_tokens, 0); },
     print_field<&Problem::sink_tokens>},
    sink_logit_key,
    {"cap", "must be a finite number >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.soft_cap, 0.0f); },
     print_field<&Problem::soft_cap>},
    lse_key,
    scale_key,
    {"order", "must be one of shuffled, sequential, lru",
     [](auto text, Draft& d) { return read_name(text, d.problem.page_order); },
     print_field<&Problem::page_order>},
    {"spare", "must be a number of pages >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.spare_pages, 0); },
     print_field<&Problem::spare_pages>},
    values_key,
    seed_key,
};

void require_given(std::string_view key, const std::vector<int>& lengths, size_t requests) {
  if (lengths.empty())
    throw InvalidInput("case string key", std::string(key), "is missing (or give trace=NAME@FIRST+COUNT)");
  require_count(key, lengths, requests, "requests");
}

void complete(Draft& draft) {
  const bool has_lengths = !draft.query_lengths.empty() || !draft.key_lengths.empty() || draft.repeat;
  if (draft.problem.trace && has_lengths)
    throw InvalidInput("trace", print_trace(*draft.problem.trace),
                       "gives the requests, so b, sq and sk must be absent");
  if (draft.problem.trace) return;
  const size_t requests = draft.repeat ? static_cast<size_t>(*draft.repeat)
                                       : std::max(draft.query_lengths.size(), draft.key_lengths.size());
  require_given("sq", draft.query_lengths, requests);
  require_given("sk", draft.key_lengths, requests);
  for (size_t i = 0; i < requests; ++i)
    draft.problem.requests.push_back({length_of(draft.query_lengths, i), length_of(draft.key_lengths, i)});
}

constexpr std::string_view required[] = {"h"};

} // namespace

const OperatorKeys paged_prefill{keys, required, complete};

} // namespace fmha950::case_keys
