#include "interface/validate_detail.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/paged/definition.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;

std::string text_of_requests(const Problem& p) {
  std::string text;
  for (const Request& request : p.requests)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", request.query_length, request.key_length);
  return text;
}

// A rule may rely on those before it, and on those of all problems with pages.
const Rule rules[] = {
    {"q", [](const Problem& p) { return p.query_type == bf16 || p.query_type == fp16; },
     [](const Problem& p) { return std::string(name_of(p.query_type)); },
     "must be bf16 or fp16, as the chunk's K and V"},
    {"o", [](const Problem& p) { return p.output_type == p.query_type; },
     [](const Problem& p) { return std::string(name_of(p.output_type)); }, "must be Q's type"},
    {"kv", [](const Problem& p) { return p.kv_type == fp8; },
     [](const Problem& p) { return std::string(name_of(p.kv_type)); }, "must be fp8, the cache's type"},
    {"quant", [](const Problem& p) { return p.quantisation == Quantisation::per_tensor; },
     [](const Problem& p) { return std::string(name_of(p.quantisation)); },
     "must be tensor, as k_scale and v_scale have one value each"},
    {"layout", [](const Problem& p) { return p.kv_layout == KvLayout::linear; },
     [](const Problem& p) { return std::string(name_of(p.kv_layout)); }, "must be linear for append_prefill"},
    {"paged", [](const Problem& p) { return p.paged; }, [](const Problem&) -> std::string { return "0"; },
     "must be 1 for append_prefill"},
    {"strided", [](const Problem& p) { return !p.strided; },
     [](const Problem&) -> std::string { return "1"; }, "must be 0 for append_prefill"},
    {"interleaved", [](const Problem& p) { return !p.interleaved; },
     [](const Problem&) -> std::string { return "1"; }, "must be 0 for append_prefill"},
    {"tree", [](const Problem& p) { return p.tree_nodes == 0; },
     [](const Problem& p) { return fmt::format("{}", p.tree_nodes); }, "must be 0 for append_prefill"},
    {"sq:sk",
     [](const Problem& p) {
       return std::ranges::all_of(p.requests,
                                  [](const Request& r) { return r.query_length <= r.key_length; });
     },
     text_of_requests, "must have sq <= sk in every request, as sk counts the chunk of sq tokens"},
    {"rope",
     [](const Problem& p) {
       const RotaryEmbedding* const embedding = rotary_embedding(p);
       return embedding == nullptr ||
              (embedding->rotated >= 2 && embedding->rotated % 2 == 0 && embedding->rotated <= p.head_dim);
     },
     [](const Problem& p) { return rotary_embedding(p)->text(); },
     "must rotate an even number of columns from 2 to head_dim"},
    {"calls", [](const Problem& p) { return p.calls >= 1 && p.calls <= most_calls; },
     [](const Problem& p) { return fmt::format("{}", p.calls); }, "must be from 1 to 1024"},
};

} // namespace

void check_append(const Problem& problem) {
  check_paged_fields(problem);
  check_rules(problem, rules);
}

} // namespace fmha950::operators
