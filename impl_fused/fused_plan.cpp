#include "impl_fused/fused_plan.hpp"

#include "attention/host/chiplet_order.hpp"
#include "attention/host/page_table.hpp"
#include "attention/host/value_descales.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace fmha950::fused {
namespace {

constexpr attention::TileShape tile_shape = {rows_per_tile, keys_per_tile};

uint32_t page_stride(const Problem& problem) {
  const int64_t bytes = problem.page_elements();
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

std::string kernel_of(const Problem& problem) {
  switch (problem.quantisation) {
  case Quantisation::none:
  case Quantisation::per_tensor: return "attention_tensor";
  case Quantisation::kv_blockscale: return "attention_page";
  case Quantisation::mx: break;
  }
  return problem.page_size % 32 == 0 ? "attention_mx" : "attention_mx_keys";
}

FusedPlan::FusedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device)
    : problem_(problem) {
  attention::check_row_numbers(problem, "fused");
  const uint32_t stride = page_stride(problem);
  if (problem.quantisation == Quantisation::kv_blockscale)
    attention::check_value_descales(problem, host, "fused");
  kernel_ = hip::load_kernel("fused", kernel_of(problem));
  work_ = attention::order_for_chiplets(
      attention::make_work(problem, attention::table_begins(problem, host), tile_shape));
  work_items_ = attention::upload_items(work_);
  const double scale =
      double(problem.softmax_scale()) * tensor_descale(host.q_descale) * tensor_descale(host.k_descale);
  arguments_ = {
      .work = work_items_.as<attention::WorkItem>(),
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
      .row_stride = static_cast<uint32_t>(problem.kv_heads) * head_dim,
      .scale_page_stride = scale_page_stride(problem),
      .page_shift = static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(problem.page_size))),
      .kv_heads = static_cast<uint32_t>(problem.kv_heads),
      .query_heads = static_cast<uint32_t>(problem.query_heads),
      .group = static_cast<uint32_t>(attention::group_of(problem)),
      .window = attention::mask_window(problem),
      .score_scale = static_cast<float>(scale * std::numbers::log2e),
      .value_scale = tensor_descale(host.v_descale),
  };
}

int FusedPlan::query_tile() const { return std::max(1, rows_per_tile / attention::group_of(problem_)); }

TileShape FusedPlan::score_tile() const { return tile_shape; }

std::vector<LaunchWorkgroups> FusedPlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  return {{kernel_.name, attention::workgroups_of(work_, rows, attention::group_of(problem_), tile_shape)}};
}

void FusedPlan::launch(hip::Stream stream, const std::vector<uint32_t>* only) {
  if (work_.empty() || (only && only->empty())) return;
  hip::launch(kernel_, {static_cast<unsigned>(work_.size()), 1, 1}, {threads, 1, 1}, &arguments_,
              sizeof arguments_, stream, only);
}

} // namespace fmha950::fused
