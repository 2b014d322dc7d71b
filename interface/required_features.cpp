// From the fields of a problem to the features that it asks for.
#include "interface/case_text.hpp"
#include "interface/features.hpp"
#include "interface/names.hpp"
#include "interface/operator.hpp"

#include <fmt/format.h>

namespace fmha950 {
namespace {

class List {
 public:
  void add(std::string_view kind, std::string value, std::string words) {
    features_.push_back({std::string(kind), std::move(value), std::move(words)});
  }
  void add_if(bool asked, std::string_view kind) {
    if (asked) add(kind, "", std::string(kind));
  }
  std::vector<Feature> take() { return std::move(features_); }

 private:
  std::vector<Feature> features_;
};

// Fields of pages at their defaults ask nothing of an operator that has none; elsewhere they always do.
bool asks(const Problem& problem, auto Problem::* field) {
  return problem.op->facts().pages || problem.*field != Problem().*field;
}

void add_quantisation(List& list, Quantisation quantisation, int page_size) {
  switch (quantisation) {
  case Quantisation::none: return;
  case Quantisation::per_tensor: return list.add_if(true, feature::tensor_descales);
  case Quantisation::page:
    return list.add(feature::page_descales, fmt::format("{}", page_size),
                    fmt::format("descales per page with pages of {}", page_size));
  case Quantisation::mx: return list.add_if(true, feature::mx);
  }
}

} // namespace

std::vector<Feature> required_features(const Problem& problem) {
  // All fields of a problem: a new one does not compile until it is named here, and makes a feature below or
  // is one of those that ask nothing of an implementation: sizes, and where requests and values come from.
  const auto& [op, own, query_heads, kv_heads, head_dim, value_head_dim, requests, trace, query_type, kv_type,
               output_type, quantisation, page_table, kv_layout, page_size, paged, strided, interleaved, mode,
               causal, window, sink_tokens, tree_nodes, sink_logit, soft_cap, lse, batch_invariant, scale,
               page_order, spare_pages, values, seed, calls] = problem;
  const auto text = [](auto name) { return std::string(name_of(name)); };

  List list;
  list.add(feature::operation, text(op), fmt::format("operator {}", name_of(op)));
  list.add(feature::kv_heads, fmt::format("{}", kv_heads), fmt::format("{} KV heads", kv_heads));
  const int shared = kv_heads > 0 ? query_heads / kv_heads : 0;
  list.add(feature::heads_per_kv_head, fmt::format("{}", shared),
           fmt::format("{} heads per KV head", shared));
  list.add(feature::types, fmt::format("{} with {}", name_of(query_type), name_of(kv_type)),
           fmt::format("{} queries with {} keys", name_of(query_type), name_of(kv_type)));
  list.add(feature::output, text(output_type),
           fmt::format("{} output with {} keys", name_of(output_type), name_of(kv_type)));
  const std::string columns = case_text::print_head_dims(problem);
  list.add(feature::head_dim, columns, fmt::format("head_dim {}", columns));
  if (asks(problem, &Problem::kv_layout))
    list.add(feature::layout, text(kv_layout), fmt::format("{} layout", name_of(kv_layout)));
  add_quantisation(list, quantisation, page_size);
  list.add_if(strided, feature::strided);
  list.add_if(interleaved, feature::interleaved);
  list.add_if(window.has_value(), feature::window);
  list.add_if(sink_tokens != 0, feature::sink_tokens);
  list.add_if(sink_logit, feature::sink_logit);
  list.add_if(soft_cap != 0, feature::soft_cap);
  list.add_if(causal, feature::causal);
  list.add_if(tree_nodes != 0, feature::tree);
  list.add_if(lse, feature::lse);
  if (asks(problem, &Problem::page_table))
    list.add(feature::page_table, text(page_table), fmt::format("page table {}", name_of(page_table)));
  if (asks(problem, &Problem::page_size))
    list.add(feature::page_size, fmt::format("{}", page_size), fmt::format("pages of {} tokens", page_size));
  list.add_if(!paged, feature::consecutive_pages);
  if (asks(problem, &Problem::mode))
    list.add(feature::mode, text(mode), fmt::format("mode {}", name_of(mode)));
  list.add_if(batch_invariant, feature::batch_invariant);
  for (const Feature& feature : own.features(problem)) list.add(feature.kind, feature.value, feature.words);
  if (calls != 1) list.add(feature::calls, fmt::format("{}", calls), fmt::format("{} calls", calls));
  return list.take();
}

} // namespace fmha950
