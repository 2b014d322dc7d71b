#include "operators/paged/keys.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/append_prefill/rotary.hpp"

namespace fmha950::operators {
namespace {

using namespace case_keys;

// The chunk has Q's type, and so has the output.
bool read_chunk_type(std::string_view text, Problem& problem) {
  if (!case_text::read_name(text, problem.query_type)) return false;
  problem.output_type = problem.query_type;
  return problem.query_type == ElementType::bf16 || problem.query_type == ElementType::fp16;
}

bool read_rotary(std::string_view text, RotaryEmbedding& embedding) {
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && case_text::read_name(text.substr(0, colon), embedding.pairs) &&
         case_text::read_number(text.substr(colon + 1), embedding.rotated, 1);
}

KeyWords drawn_embeddings() {
  static constexpr std::string_view embeddings[] = {"",        "",        "half:32",        "half:64",
                                                    "half:16", "half:48", "interleaved:64", "interleaved:32"};
  return embeddings;
}

KeyWords chunk_types() { return names_of<ElementType>().first(2); }

constexpr Key keys[] = {
    heads_key,
    repeat_key,
    query_lengths_key,
    key_lengths_key,
    trace_key,
    head_dim_key,
    {"q", "must be one of bf16, fp16", [](auto text, Draft& d) { return read_chunk_type(text, d.problem); },
     print_field<&Problem::query_type>, chunk_types},
    table_key,
    page_key,
    mode_key,
    causal_key,
    window_key,
    sink_key,
    sink_logit_key,
    cap_key,
    lse_key,
    deterministic_key,
    scale_key,
    order_key,
    spare_key,
    values_key,
    seed_key,
    {"rope", "must be half:N or interleaved:N, N columns that are rotated",
     [](auto text, Draft& d) { return read_rotary(text, d.problem.own.emplace<RotaryEmbedding>()); },
     [](const Problem& p) { return rotary_embedding(p) != nullptr ? rotary_embedding(p)->text() : ""; },
     drawn_embeddings},
    {"calls", "must be a number of calls from 1 to 1024",
     [](auto text, Draft& d) { return case_text::read_number(text, d.problem.calls, 1, most_calls); },
     print_field<&Problem::calls>},
};

static_assert(most_calls == 1024, "as the text above says");

void complete(Draft& draft) {
  draft.problem.kv_type = ElementType::fp8;
  draft.problem.quantisation = Quantisation::per_tensor;
  complete_requests(draft);
}

constexpr std::string_view required[] = {"h"};

} // namespace

constinit const OperatorKeys append_keys{keys, required, complete};

} // namespace fmha950::operators
