#include "interface/case_text.hpp"
#include "interface/validate_detail.hpp"
#include "operators/paged/definition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fmha950::operators {
namespace {

using enum ElementType;

bool one_of(int value, std::initializer_list<int> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string lengths(const Problem& problem, int Request::* length) {
  std::string text;
  for (const Request& request : problem.requests)
    text += (text.empty() ? "" : ",") + std::to_string(request.*length);
  return text;
}

bool none_negative(const Problem& problem, int Request::* length) {
  return std::all_of(problem.requests.begin(), problem.requests.end(),
                     [=](const Request& request) { return request.*length >= 0; });
}

bool equal_query_lengths(const Problem& problem) {
  return std::all_of(problem.requests.begin(), problem.requests.end(), [&](const Request& request) {
    return request.query_length == problem.requests[0].query_length;
  });
}

int64_t pool_pages(const Problem& problem) {
  int64_t pages = problem.spare_pages;
  for (const Request& request : problem.requests) pages += problem.pages_of(request);
  return pages;
}

int elements_per_16_bytes(const Problem& problem) { return 128 / element_bits(problem.kv_type); }

const validation::Rule rules[] = {
    {"calls", [](const Problem& p) { return p.op->facts().appends || p.calls == 1; },
     [](const Problem& p) { return fmt::format("{}", p.calls); },
     "must be absent, only append_prefill comes in several calls"},
    {"h", [](const Problem& p) { return p.query_heads >= 1 && p.kv_heads >= 1; },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); },
     "must be two head counts of at least 1"},
    {"h", [](const Problem& p) { return p.query_heads % p.kv_heads == 0; },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); },
     "query heads must be a multiple of KV heads"},
    {"d",
     [](const Problem& p) {
       return p.head_dim == p.value_columns() ? one_of(p.head_dim, {64, 128, 256})
                                              : p.head_dim == 192 && p.value_columns() == 128;
     },
     case_text::print_head_dims, "must be 64, 128, 256 or 192:128"},
    {"d", [](const Problem& p) { return !p.op->facts().appends || p.head_dim <= 128; },
     case_text::print_head_dims, "must be 64 or 128 of append_prefill"},
    {"page",
     [](const Problem& p) {
       return p.page_size == 1 || (p.page_size % 16 == 0 && p.page_size > 0 && p.page_size <= 1024);
     },
     [](const Problem& p) { return fmt::format("{}", p.page_size); },
     "must be 1 token or a multiple of 16 up to 1024"},
    {"trace", [](const Problem& p) { return !p.trace || !p.requests.empty(); },
     [](const Problem& p) { return p.trace->name; }, "its requests have not been read yet"},
    {"requests", [](const Problem& p) { return !p.requests.empty(); },
     [](const Problem&) -> std::string { return "0"; }, "must be at least one"},
    {"sq", [](const Problem& p) { return none_negative(p, &Request::query_length); },
     [](const Problem& p) { return lengths(p, &Request::query_length); }, "must be >= 0"},
    {"sk", [](const Problem& p) { return none_negative(p, &Request::key_length); },
     [](const Problem& p) { return lengths(p, &Request::key_length); }, "must be >= 0"},
    {"sk", [](const Problem& p) { return p.max_key_length() <= 1 << 30; },
     [](const Problem& p) { return lengths(p, &Request::key_length); }, "must be at most 2^30"},
    {"sq", [](const Problem& p) { return p.total_queries() <= std::numeric_limits<int32_t>::max(); },
     [](const Problem& p) { return lengths(p, &Request::query_length); },
     "must sum to less than 2^31, as q_indptr is int32"},
    {"q", [](const Problem& p) { return p.query_type <= fp8; },
     [](const Problem& p) { return std::string(name_of(p.query_type)); }, "must be bf16, fp16 or fp8"},
    {"kv", [](const Problem& p) { return p.kv_type <= fp8 || p.kv_type == mxfp4; },
     [](const Problem& p) { return std::string(name_of(p.kv_type)); }, "must be bf16, fp16, fp8 or mxfp4"},
    {"o", [](const Problem& p) { return p.output_type == bf16 || p.output_type == fp16; },
     [](const Problem& p) { return std::string(name_of(p.output_type)); }, "must be bf16 or fp16"},
    {"quant", [](const Problem& p) { return p.quantisation == Quantisation::mx || p.kv_type != mxfp4; },
     [](const Problem& p) { return std::string(name_of(p.quantisation)); },
     "must be mx, or absent, with kv=mxfp4, whose scales are of blocks of 32"},
    {"page", [](const Problem& p) { return p.kv_type != mxfp4 || p.page_size % 32 == 0; },
     [](const Problem& p) { return fmt::format("{}", p.page_size); },
     "must be a multiple of 32 with kv=mxfp4: V has a scale for every 32 tokens of a column"},
    {"layout", [](const Problem& p) { return p.kv_type != mxfp4 || p.kv_layout != KvLayout::vectorized; },
     [](const Problem& p) { return std::string(name_of(p.kv_layout)); },
     "must be linear or hnd with kv=mxfp4"},
    {"quant",
     [](const Problem& p) {
       return p.quantisation == Quantisation::none || p.kv_type == fp8 || p.kv_type == mxfp4;
     },
     [](const Problem& p) { return std::string(name_of(p.quantisation)); }, "needs kv=fp8"},
    {"layout",
     [](const Problem& p) {
       return p.kv_layout != KvLayout::vectorized || p.page_size % elements_per_16_bytes(p) == 0;
     },
     [](const Problem& p) { return std::string(name_of(p.kv_layout)); },
     "needs pages of a multiple of 16 bytes of elements (page=16 and up), or layout=linear"},
    {"interleaved", [](const Problem& p) { return !p.interleaved || !p.strided; },
     [](const Problem&) -> std::string { return "1"; },
     "must be absent with strided=1, whose pools lie in one allocation with other bytes between their pages"},
    {"interleaved", [](const Problem& p) { return !p.interleaved || p.head_dim == p.value_columns(); },
     [](const Problem&) -> std::string { return "1"; },
     "must be absent with d=192:128, whose pages of K and V are of two sizes"},
    {"mode", [](const Problem& p) { return p.mode == BatchMode::group || equal_query_lengths(p); },
     [](const Problem& p) { return std::string(name_of(p.mode)); },
     "needs equal query lengths; ragged ones need mode=group"},
    {"window", [](const Problem& p) { return !p.window || (p.window->left >= 0 && p.window->right >= 0); },
     [](const Problem& p) { return fmt::format("{}:{}", p.window->left, p.window->right); },
     "must be two numbers of tokens >= 0"},
    {"window", [](const Problem& p) { return !p.window || !p.causal || p.window->right == 0; },
     [](const Problem& p) { return fmt::format("{}:{}", p.window->left, p.window->right); },
     "must be LEFT:0 with causal=1, which hides all later keys"},
    {"sink", [](const Problem& p) { return p.sink_tokens >= 0; },
     [](const Problem& p) { return fmt::format("{}", p.sink_tokens); }, "must be >= 0"},
    {"tree", [](const Problem& p) { return p.tree_nodes >= 0 && p.tree_nodes <= most_tree_nodes; },
     [](const Problem& p) { return fmt::format("{}", p.tree_nodes); }, "must be from 0 (none) to 64 nodes"},
    {"tree", [](const Problem& p) { return p.tree_nodes == 0 || p.causal; },
     [](const Problem& p) { return fmt::format("{}", p.tree_nodes); },
     "needs causal=1: a tree hides some of the keys that the causal mask leaves"},
    // Far above the scores c tanh(s / c) is s, but for the bits that 1 - 2 / (e^2x + 1) loses.
    {"cap", [](const Problem& p) { return p.soft_cap >= 0 && p.soft_cap <= 10000; },
     [](const Problem& p) { return fmt::format("{}", p.soft_cap); }, "must be from 0 (none) to 10000"},
    // Subnormal numbers may count as 0.
    {"scale", [](const Problem& p) { return std::isnormal(p.softmax_scale()) && p.softmax_scale() > 0; },
     [](const Problem& p) { return fmt::format("{}", p.softmax_scale()); },
     "must be finite, > 0 and no subnormal number"},
    {"order", [](const Problem& p) { return p.paged || p.page_order == Problem().page_order; },
     [](const Problem& p) { return std::string(name_of(p.page_order)); },
     "must be absent with paged=0, whose pages are consecutive"},
    {"spare", [](const Problem& p) { return p.spare_pages >= 0; },
     [](const Problem& p) { return fmt::format("{}", p.spare_pages); }, "must be >= 0"},
    // A page id fits int32 with room to spare, and shuffling the ids of a larger pool would take gigabytes.
    {"spare", [](const Problem& p) { return pool_pages(p) <= 1 << 27; },
     [](const Problem& p) { return fmt::format("{}", p.spare_pages); },
     "must leave the pool at most 2^27 pages, those of the requests included"},
};

} // namespace

void check_paged_fields(const Problem& problem) { validation::check_rules(problem, rules); }

} // namespace fmha950::operators
