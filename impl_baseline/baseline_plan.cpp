#include "impl_baseline/baseline_plan.hpp"

#include "attention/host/page_table.hpp"
#include "attention/host/paged_features.hpp"
#include "impl_baseline/attention_arguments.hpp"
#include "interface/names.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

#include <fmt/format.h>

namespace fmha950::baseline {

FeatureSet batch_features(std::vector<std::string> types, ElementType output) {
  return attention::with_pages(
      {
          has_operator(batch_prefill),
          any_number(feature::kv_heads),
          any_number(feature::heads_per_kv_head),
          {feature::types, std::move(types)},
          {feature::output, {std::string(name_of(output))}},
          {feature::head_dim, {"64", "128", "256", "192:128"}},
          {feature::layout, {"linear", "vectorized", "hnd"}},
          {feature::batch_invariant},
          {feature::tensor_descales},
          {feature::page_descales, attention::all_page_sizes()},
          {feature::mx, {}, "microscaling (quant=mx)"},
          {feature::strided},
          {feature::interleaved},
          {feature::window},
          {feature::sink_tokens},
          {feature::sink_logit},
          {feature::soft_cap},
          {feature::tree,
           {},
           "a tree mask but of bf16 queries at head_dim 64 and 128, and of fp8 queries at 128"},
      },
      attention::all_page_sizes());
}

FeatureSet tree_features(std::vector<std::string> types, ElementType output,
                         std::vector<std::string> head_dims) {
  FeatureSet features = batch_features(std::move(types), output);
  for (Has& has : features) {
    if (has.kind == feature::head_dim) has.values = head_dims;
    if (has.kind == feature::tree) has = {feature::tree};
  }
  return features;
}

KernelChoice choose_kernel(const Problem& problem) {
  // Strides tell HND from LINEAR: either has a key's row in one piece.
  const char* const layout = problem.kv_layout == KvLayout::vectorized ? "vectorized" : "linear";
  const bool page_descales = problem.quantisation == Quantisation::page;
  const bool widened = problem.kv_type != problem.query_type;
  const bool blocks = attention::has_block_pages(problem), tree = problem.tree_nodes > 0;
  const bool all_in_one =
      widened || tree || problem.value_head_dim; // kernels for all quantisations and page sizes
  const char* const blockscale = page_descales ? "_blockscale" : "";
  const std::string types = fmt::format("{}{}", name_of(problem.query_type),
                                        widened ? fmt::format("_{}", name_of(problem.kv_type)) : "");
  std::string columns = fmt::format("d{}", problem.head_dim);
  if (problem.value_head_dim) columns += fmt::format("_{}", *problem.value_head_dim);
  const char* const in_object = tree ? "_tree" : all_in_one ? "" : blocks ? "_block_pages" : blockscale;
  const char* const in_kernel = all_in_one || blocks ? blockscale : "";
  const char* const pages = blocks                                               ? "_block_pages"
                            : page_descales && problem.page_size < keys_per_tile ? "_small_pages"
                                                                                 : "";
  return {fmt::format("baseline_{}{}_{}", types, in_object, columns),
          fmt::format("attention_{}{}{}{}", layout, in_kernel, pages, tree ? "_tree" : "")};
}

BaselinePlan::BaselinePlan(const Problem& problem, const Tensors& host, const DeviceTensors& device)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}) {
  attention::check_row_numbers(problem, "baseline");
  const KernelChoice choice = choose_kernel(problem);
  variant_ = choice.code_object + choice.kernel.substr(std::string_view("attention").size());
  set_work_of_pages(host);
  const AttentionArguments arguments = attention_arguments(
      problem, device, items(), double(tensor_descale(host.q_descale)) * tensor_descale(host.k_descale),
      tensor_descale(host.v_descale));
  const auto kernel = hip::load_kernel(choice.code_object, choice.kernel);
  const TreeNodes tree = {device.tree_mask, problem.tree_nodes};
  if (attention::has_block_pages(problem)) {
    const BlockPageArguments of_blocks = {{arguments}, attention::page_blocks(problem)};
    if (problem.tree_nodes > 0)
      add_tile_launch(kernel, threads, TreeBlockPageArguments{{of_blocks}, tree});
    else
      add_tile_launch(kernel, threads, of_blocks);
  } else if (problem.tree_nodes > 0) {
    add_tile_launch(kernel, threads, TreeArguments{{arguments}, tree});
  } else {
    add_tile_launch(kernel, threads, arguments);
  }
}

// With descales per page it is P times descale that is rounded, in units that follow the tile; what is left
// of small ones beside large ones is kept (value_weights.hpp).
ProbabilityRounding BaselinePlan::probability_rounding() const {
  const ElementType type = problem().query_type;
  const bool units = problem().quantisation == Quantisation::page;
  const float shift = type == ElementType::fp8 || units ? attention::fp8_shift : 0; // Variant::peak
  return {.type = type, .shift = shift, .weighted = units, .unit_follows = units};
}

} // namespace fmha950::baseline
