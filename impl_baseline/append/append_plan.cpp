#include "impl_baseline/append/append_plan.hpp"

#include "attention/host/paged_features.hpp"
#include "impl_baseline/attention_arguments.hpp"
#include "interface/names.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"

#include <fmt/format.h>

namespace fmha950::baseline::append {

namespace {

// Kernels rotate eight columns at a time.
std::vector<std::string> embeddings() {
  std::vector<std::string> all;
  for (const RotaryPairs pairs : {RotaryPairs::half, RotaryPairs::interleaved})
    for (int rotated = 16; rotated <= 128; rotated += 16)
      all.push_back(RotaryEmbedding{pairs, rotated}.text());
  return all;
}

RotaryArguments rotary_arguments(const Problem& problem, const DeviceTensors& device) {
  const RotaryEmbedding* const embedding = rotary_embedding(problem);
  if (embedding == nullptr) return {};
  const DeviceAppendTensors& own = append_tensors(device);
  return {.positions = own.positions,
          .cos_sin_cache = own.cos_sin_cache,
          .rotated = static_cast<uint32_t>(embedding->rotated),
          .interleaved = embedding->pairs == RotaryPairs::interleaved};
}

std::string kind_of(const Problem& problem) {
  if (rotary_embedding(problem) != nullptr) return "_rotary";
  return problem.window ? "_windowed" : "";
}

} // namespace

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
      {feature::window},
      {feature::sink_tokens},
      {feature::sink_logit},
      {feature::rotary, embeddings(), "kernels rotate whole sixteens of columns"},
      {feature::soft_cap},
      {feature::calls, {"1"}, "one plan is one call"},
  });
}

std::string code_object_of(const Problem& problem) {
  return fmt::format("append_{}_d{}", name_of(problem.query_type), problem.head_dim);
}

std::vector<std::string> kernels_of(Form form, const Problem& problem) {
  const std::string kind = kind_of(problem);
  if (form == Form::fused) return {"append_attention" + kind};
  return {rotary_embedding(problem) != nullptr ? "append_alone_rotary" : "append_alone",
          "attention_alone" + kind};
}

AppendPlan::AppendPlan(Form form, std::string_view implementation, const Problem& problem,
                       const Tensors& host, const DeviceTensors& device)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}),
      variant_(code_object_of(problem) + (form == Form::fused ? "_fused" : "_two_launch") +
               kind_of(problem)) {
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
      .rotary = rotary_arguments(problem, device),
  };
  for (const std::string& kernel : kernels_of(form, problem))
    add_tile_launch(hip::load_kernel(code_object_of(problem), kernel), threads, arguments);
}

} // namespace fmha950::baseline::append
