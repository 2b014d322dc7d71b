#include "impl_baseline/append/append_plan.hpp"

#include "attention/host/paged_features.hpp"
#include "impl_baseline/attention_arguments.hpp"
#include "interface/names.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/append_tensors.hpp"

#include <fmt/format.h>

namespace fmha950::baseline::append {

FeatureSet features(ElementType chunk) {
  return attention::with_pages({
      has_operator(append_prefill),
      any_number(feature::kv_heads),
      any_number(feature::heads_per_kv_head),
      {feature::types, {fmt::format("{} with fp8", name_of(chunk))}},
      {feature::output, {std::string(name_of(chunk))}},
      {feature::head_dim, {"64", "128"}},
      {feature::layout, {"linear"}},
      {feature::batch_invariant},
      {feature::tensor_descales},
      {feature::sink_logit},
      {feature::soft_cap},
      {feature::calls, {"1"}, "one plan is one call"},
  });
}

std::string code_object_of(const Problem& problem) {
  return fmt::format("append_{}_d{}", name_of(problem.query_type), problem.head_dim);
}

std::vector<std::string> kernels_of(Form form) {
  if (form == Form::fused) return {"append_attention"};
  return {"append_alone", "attention_alone"};
}

AppendPlan::AppendPlan(Form form, std::string_view implementation, const Problem& problem,
                       const Tensors& host, const DeviceTensors& device)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}),
      variant_(code_object_of(problem) + (form == Form::fused ? "_fused" : "_two_launch")) {
  attention::check_row_numbers(problem, implementation);
  set_work_of_pages(host);
  const AppendArguments arguments = {
      // Keys and values are multiplied by their scales on the way to the products.
      .attention = attention_arguments(problem, device, items(), 1, 1),
      .k_new = append_tensors(device).k_new,
      .v_new = append_tensors(device).v_new,
      .k_cache = device.k_cache,
      .v_cache = device.v_cache,
      .k_scale = tensor_descale(host.k_descale),
      .v_scale = tensor_descale(host.v_descale),
  };
  for (const std::string& kernel : kernels_of(form))
    add_tile_launch(hip::load_kernel(code_object_of(problem), kernel), threads, arguments);
}

} // namespace fmha950::baseline::append
