#include "impl_fused/fused_plan.hpp"

#include "attention/host/page_table.hpp"
#include "attention/host/value_descales.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace fmha950::fused {
namespace {

uint32_t page_stride(const Problem& problem) {
  const int64_t bytes = stored_bytes(problem.kv_type, problem.page_elements());
  if (bytes > std::numeric_limits<uint32_t>::max())
    throw InvalidInput("h", fmt::format("{} KV heads with pages of {}", problem.kv_heads, problem.page_size),
                       "fused takes pages of less than 4 GiB");
  return static_cast<uint32_t>(bytes);
}

// Bytes from page to page of the scales of K and of V; MX has as many of V, one per 32 keys and column, as of
// K, one per key and 32 columns.
uint32_t scale_page_stride(const Problem& problem) {
  const uint32_t of_key = static_cast<uint32_t>(problem.kv_heads) * 4;
  return problem.quantisation == Quantisation::mx ? of_key * static_cast<uint32_t>(problem.page_size)
                                                  : of_key;
}

} // namespace

std::string code_object_of(const Problem& problem) {
  return problem.kv_type == ElementType::mxfp4 ? "fused_mxfp4" : "fused";
}

std::string kernel_of(const Problem& problem) {
  if (problem.kv_type == ElementType::mxfp4) return "attention_mxfp4";
  switch (problem.quantisation) {
  case Quantisation::none:
  case Quantisation::per_tensor: return "attention_tensor";
  case Quantisation::page: return "attention_page";
  case Quantisation::mx: break;
  }
  return problem.page_size % 32 == 0 ? "attention_mx" : "attention_mx_keys";
}

FusedPlan::FusedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}) {
  attention::check_row_numbers(problem, "fused");
  const uint32_t stride = page_stride(problem);
  if (problem.quantisation == Quantisation::page) attention::check_value_descales(problem, host, "fused");
  set_work_of_pages(host);
  const double scale =
      double(problem.softmax_scale()) * tensor_descale(host.q_descale) * tensor_descale(host.k_descale);
  add_tile_launch(hip::load_kernel(code_object_of(problem), kernel_of(problem)), threads,
                  AttentionArguments{
                      .work = items(),
                      .q = static_cast<const uint8_t*>(device.q),
                      .k_pool = static_cast<const uint8_t*>(device.k_pool),
                      .v_pool = static_cast<const uint8_t*>(device.v_pool),
                      .q_scale = static_cast<const uint8_t*>(device.q_descale),
                      .k_scale = static_cast<const uint8_t*>(device.k_descale),
                      .v_scale = static_cast<const uint8_t*>(device.v_descale),
                      .table = attention::device_table(problem, device),
                      .output = device.output,
                      .lse = device.lse,
                      .page_stride = stride,
                      .row_stride = static_cast<uint32_t>(
                          stored_bytes(problem.kv_type, int64_t{problem.kv_heads} * head_dim)),
                      .scale_page_stride = scale_page_stride(problem),
                      .page_shift = attention::page_shift(problem),
                      .kv_heads = static_cast<uint32_t>(problem.kv_heads),
                      .query_heads = static_cast<uint32_t>(problem.query_heads),
                      .heads_per_kv_head = static_cast<uint32_t>(problem.heads_per_kv_head()),
                      .window = attention::mask_window(problem),
                      .score_scale = static_cast<float>(scale * std::numbers::log2e),
                      .value_scale = tensor_descale(host.v_descale),
                  });
}

} // namespace fmha950::fused
