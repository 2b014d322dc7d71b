#include "harness/external/manifest_new.hpp"

#include "harness/external/case_names.hpp"
#include "harness/external/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness::external {

namespace {

using Json = nlohmann::ordered_json;

// What parameters of attention kernels are often called, and what that is here. A proposal: the author looks at it.
struct Synonym {
  const char *parameter, *name;
};
constexpr Synonym synonyms[] = {{"Q", "q"},
                                {"q_ptr", "q"},
                                {"K", "k_pool"},
                                {"k", "k_pool"},
                                {"k_ptr", "k_pool"},
                                {"k_cache", "k_pool"},
                                {"V", "v_pool"},
                                {"v", "v_pool"},
                                {"v_ptr", "v_pool"},
                                {"v_cache", "v_pool"},
                                {"O", "output"},
                                {"o", "output"},
                                {"out", "output"},
                                {"Out", "output"},
                                {"o_ptr", "output"},
                                {"LSE", "lse"},
                                {"lse_ptr", "lse"},
                                {"softmax_lse", "lse"},
                                {"qo_indptr", "q_indptr"},
                                {"cu_seqlens_q", "q_indptr"},
                                {"kv_indices", "kv_page_indices"},
                                {"page_table", "block_table"},
                                {"block_tables", "block_table"},
                                {"seq_lens", "seqlen_k"},
                                {"context_lens", "seqlen_k"},
                                {"sm_scale", "scale"},
                                {"softmax_scale", "scale"},
                                {"logits_soft_cap", "soft_cap"},
                                {"num_heads", "query_heads"},
                                {"num_kv_heads", "kv_heads"},
                                {"head_size", "head_dim"},
                                {"batch_size", "batch"}};

std::string proposed(const KernelParameter& parameter) {
  const std::vector<std::string> names = tensor_names();
  if (std::ranges::find(names, parameter.name) != names.end()) return parameter.name;
  const auto* const known = std::ranges::find(synonyms, parameter.name, &Synonym::parameter);
  return known == std::end(synonyms) ? "?" : known->name;
}

Json argument_of(const KernelParameter& parameter) {
  if (parameter.is_buffer()) return "ptr:" + proposed(parameter);
  const bool real = parameter.type == "float" || parameter.type == "double" || parameter.type == "half";
  switch (parameter.size) {
  case 1: return "u8:" + proposed(parameter);
  case 2: return (real ? "f16:" : "u16:") + proposed(parameter);
  case 4: return (real ? "f32:" : "i32:") + proposed(parameter);
  case 8: return (real ? "f64:" : "i64:") + proposed(parameter);
  default: break;
  }
  Json fields = Json::array();
  for (uint32_t word = 0; word < parameter.size / 4; ++word) fields.push_back("i32:?");
  if (parameter.size % 4 != 0) fields.push_back(fmt::format("pad{}", parameter.size % 4));
  return {{"struct", fields}};
}

std::string as_name(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? "k" + text
                                                                                : text.substr(0, 64);
}

} // namespace

std::string new_manifest(const std::string& object, const ForeignKernel& kernel) {
  Json arguments = Json::array(), what = Json::array();
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    arguments.push_back(argument_of(parameter));
    what.push_back(fmt::format("{}: {} bytes at {}{}{}", parameter.described(i), parameter.size,
                               parameter.offset, parameter.type.empty() ? "" : ", ", parameter.type));
  }
  if (kernel.silent)
    what.push_back("the metadata name no arguments: list all, in order, with padN where C would not put it");
  Json block = kernel.required_block ? Json(*kernel.required_block) : Json(std::min(kernel.max_block, 256u));
  const Json manifest = {
      {"schema", manifest_schema},
      {"name", as_name(kernel.name)},
      {"description", "?"},
      {"operator", "batch_prefill"},
      {"needs",
       {"head_dim == 128", "query == 'bf16' and kv == 'bf16'", "quant == 'none'", "table == 'vllm'"}},
      {"launches",
       {{{"object", object},
         {"symbol", kernel.name},
         {"$comment", what},
         {"grid", {"ceil_div(max_query_length * group, 128)", "kv_heads", "batch"}},
         {"block", block},
         {"lds", 0},
         {"arguments", arguments},
         {"rows",
          {{"request", "z"}, {"first", "128 * x // group"}, {"count", "ceil_div(128, group) + 1"}}}}}},
      {"judged",
       {{"$comment",
         "p: what P is rounded to before it multiplies V; sum: whether the denominator sums rounded P"},
        {"p", "bf16"},
        {"sum", "unrounded"},
        {"tile_rows", 128},
        {"tile_keys", 64}}}};
  return manifest.dump(2) + "\n";
}

} // namespace fmha950::harness::external
