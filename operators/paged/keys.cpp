#include "operators/paged/keys.hpp"

namespace fmha950::case_keys {
namespace {

using namespace case_text;

bool read_type(std::string_view text, ElementType& type) {
  return read_name(text, type) && type <= ElementType::fp8;
}

bool read_key_type(std::string_view text, ElementType& type) {
  return read_name(text, type) && (type <= ElementType::fp8 || type == ElementType::mxfp4);
}

// kv=mxfp4 says what its scales are.
void complete(Draft& draft) {
  Problem& problem = draft.problem;
  if (problem.kv_type == ElementType::mxfp4 && !draft.quantisation_given)
    problem.quantisation = Quantisation::mx;
  complete_requests(draft);
}

// Those of inputs stand first.
KeyWords input_types() { return names_of<ElementType>().first(3); }
KeyWords output_types() { return names_of<ElementType>().first(2); }

KeyWords drawn_trees() {
  static constexpr std::string_view nodes[] = {"", "", "1", "8", "64"};
  return nodes;
}
static_assert(most_tree_nodes == 64, "as the text below says");

constexpr Key keys[] = {
    heads_key,
    repeat_key,
    query_lengths_key,
    key_lengths_key,
    trace_key,
    head_dim_key,
    {"q", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.query_type); },
     print_field<&Problem::query_type>, input_types},
    {"kv", "must be one of bf16, fp16, fp8, mxfp4",
     [](auto text, Draft& d) { return read_key_type(text, d.problem.kv_type); },
     print_field<&Problem::kv_type>, input_types},
    {"o", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.output_type); },
     print_field<&Problem::output_type>, output_types},
    {"quant", "must be one of none, tensor, page, mx",
     [](auto text, Draft& d) {
       d.quantisation_given = true;
       return read_name(text, d.problem.quantisation);
     },
     [](const Problem& p) {
       const Quantisation usual = p.kv_type == ElementType::mxfp4 ? Quantisation::mx : Problem().quantisation;
       return p.quantisation == usual ? std::string() : std::string(name_of(p.quantisation));
     },
     names_of<Quantisation>},
    table_key,
    {"layout", "must be one of linear, vectorized, hnd",
     [](auto text, Draft& d) { return read_name(text, d.problem.kv_layout); },
     print_field<&Problem::kv_layout>, names_of<KvLayout>},
    page_key,
    {"paged", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.paged); },
     print_field<&Problem::paged>, zero_or_one},
    {"strided", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.strided); },
     print_field<&Problem::strided>, zero_or_one},
    {"interleaved", "must be 0 or 1",
     [](auto text, Draft& d) { return read_flag(text, d.problem.interleaved); },
     print_field<&Problem::interleaved>, zero_or_one},
    mode_key,
    causal_key,
    window_key,
    sink_key,
    {"tree", "must be a number of nodes from 0 to 64",
     [](auto text, Draft& d) { return read_number(text, d.problem.tree_nodes, 0, most_tree_nodes); },
     print_field<&Problem::tree_nodes>, drawn_trees},
    sink_logit_key,
    cap_key,
    lse_key,
    deterministic_key,
    scale_key,
    order_key,
    spare_key,
    values_key,
    seed_key,
};

constexpr std::string_view required[] = {"h"};

} // namespace

constinit const OperatorKeys paged_keys{keys, required, complete};

} // namespace fmha950::case_keys
