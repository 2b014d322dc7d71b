#include "impl_prepass/prepass_plan.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace fmha950::prepass {
namespace {

// One head's scratch is one buffer resource, with 32-bit offsets.
constexpr int64_t max_scratch_rows = (int64_t(1) << 32) / row_bytes - 1;
constexpr attention::TileShape tile_shape = {rows_per_tile, keys_per_tile};

void check_limits(const Problem& problem, int64_t scratch_rows) {
  if (scratch_rows > max_scratch_rows)
    throw InvalidInput("sk", fmt::format("{} tokens in touched pages", scratch_rows),
                       fmt::format("prepass takes at most {}, a 4 GiB scratch per head", max_scratch_rows));
  attention::check_row_numbers(problem, "prepass");
}

} // namespace

std::string attention_variant(const Problem& problem) {
  if (problem.kv_type == ElementType::fp16) return "prepass_attention_fp16";
  if (problem.quantisation == Quantisation::kv_blockscale) return "prepass_attention_bf16_blockscale";
  return "prepass_attention_bf16";
}

PrepassPlan::PrepassPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device,
                         std::string variant)
    : variant_(std::move(variant)), problem_(problem), slots_(assign_slots(problem, host)) {
  const size_t slots = slots_.pages.size();
  const int64_t rows = static_cast<int64_t>(slots) * problem.page_size;
  check_limits(problem, rows);
  work_ = attention::make_work(problem, slots_.begin, tile_shape);
  for (int i = 0; i < 2 && slots > 0; ++i) {
    scratch_[i] = hip::Buffer(static_cast<size_t>(rows) * problem.kv_heads * row_bytes);
    if (problem.quantisation == Quantisation::kv_blockscale)
      slot_descale_[i] = hip::Buffer(slots * problem.kv_heads * sizeof(float));
  }
  pages_ = hip::uploaded(slots_.pages);
  request_slots_ = hip::uploaded(slots_.slots);
  work_items_ = attention::upload_items(work_);
  relayout_[0] = plan_relayout(host, device, true);
  relayout_[1] = plan_relayout(host, device, false);
  plan_attention(host, device);
}

PrepassPlan::Relayout PrepassPlan::plan_relayout(const Tensors& host, const DeviceTensors& device,
                                                 bool is_k) const {
  const Tensor& descale = is_k ? host.k_descale : host.v_descale;
  const void* descale_on_device = is_k ? device.k_descale : device.v_descale;
  const bool mx = descale.type() == ElementType::e8m0 && !descale.empty();
  const bool per_page = problem_.quantisation == Quantisation::kv_blockscale;
  const unsigned element = element_bytes(problem_.kv_type);
  const unsigned row = head_dim * element;
  const unsigned page = problem_.page_size, heads = problem_.kv_heads;
  const bool transposing = problem_.kv_layout == KvLayout::vectorized && !is_k;

  RelayoutArguments arguments = {};
  arguments.pool = is_k ? device.k_pool : device.v_pool;
  arguments.scratch = scratch_[is_k ? 0 : 1].get();
  arguments.pages = pages_.as<int32_t>();
  arguments.exponents = mx ? static_cast<const uint8_t*>(descale_on_device) : nullptr;
  arguments.exponent_axis = !mx ? Exponents::none : is_k ? Exponents::per_32_columns : Exponents::per_32_rows;
  arguments.descale = per_page ? static_cast<const float*>(descale_on_device) : nullptr;
  arguments.slot_descale = slot_descale_[is_k ? 0 : 1].as<float>();
  arguments.split_descale = per_page && !is_k; // K's is applied to fp32 scores, V's to P before it is rounded
  const int64_t stride = is_k ? device.k_page_stride : device.v_page_stride;
  arguments.page_stride = uint64_t(stride != 0 ? stride : problem_.page_elements()) * element;
  arguments.slots = static_cast<uint32_t>(slots_.pages.size());
  arguments.kv_heads = heads;
  arguments.page_shift = std::countr_zero(page);
  if (problem_.kv_layout == KvLayout::linear) { // [pages, page, Hkv, D]
    arguments.head_stride = row;
    arguments.row_stride = heads * row;
    arguments.chunk_stride = 16;
  } else { // K [pages, Hkv, D / x, page, x], V [pages, Hkv, page / x, D, x]
    arguments.head_stride = page * row;
    arguments.row_stride = 16;
    arguments.chunk_stride = (is_k ? page : head_dim) * 16;
  }
  // A thread takes 16 bytes of a row; transposing, a wave takes 16 bytes' worth of rows.
  const unsigned rows_per_workgroup =
      transposing ? relayout_threads / 64 * (16 / element) : relayout_threads / (row / 16);
  const auto name =
      fmt::format("relayout_{}_{}", transposing ? "columns" : "rows", element == 1 ? "fp8" : "16bit");
  return {hip::load_kernel("prepass_relayout", name), arguments, rows_per_workgroup};
}

void PrepassPlan::plan_attention(const Tensors& host, const DeviceTensors& device) {
  attention_ = hip::load_kernel(variant_, "attention_forward");
  const bool mx = problem_.quantisation == Quantisation::mx;
  const double score_scale = double(problem_.softmax_scale()) * std::numbers::log2e *
                             tensor_descale(host.q_descale) * tensor_descale(host.k_descale);
  attention_arguments_ = {
      .work = work_items_.as<attention::WorkItem>(),
      .q = device.q,
      .q_exponents = mx ? static_cast<const uint32_t*>(device.q_descale) : nullptr,
      .k = scratch_[0].get(),
      .v = scratch_[1].get(),
      .k_slot_descale = slot_descale_[0].as<float>(),
      .v_slot_descale = slot_descale_[1].as<float>(),
      .slots = request_slots_.as<int32_t>(),
      .output = device.output,
      .lse = device.lse,
      .slot_count = static_cast<uint32_t>(slots_.pages.size()),
      .page_shift = static_cast<uint32_t>(std::countr_zero(unsigned(problem_.page_size))),
      .query_heads = static_cast<uint32_t>(problem_.query_heads),
      .group = static_cast<uint32_t>(attention::group_of(problem_)),
      .query_format = problem_.query_type == ElementType::fp8 ? QueryFormat::fp8 : QueryFormat::plain,
      .window = attention::mask_window(problem_),
      .score_scale = static_cast<float>(score_scale),
      .value_scale = tensor_descale(host.v_descale),
  };
}

size_t PrepassPlan::workspace_bytes() const {
  size_t bytes = pages_.bytes() + request_slots_.bytes() + work_items_.bytes();
  for (int i = 0; i < 2; ++i) bytes += scratch_[i].bytes() + slot_descale_[i].bytes();
  return bytes;
}

int PrepassPlan::query_tile() const {
  const int group = attention::group_of(problem_);
  return std::max(1, rows_per_tile / group);
}

TileShape PrepassPlan::score_tile() const { return tile_shape; }

hip::Dim3 PrepassPlan::grid_of(const Relayout& relayout) const {
  const size_t rows = slots_.pages.size() * problem_.page_size;
  return {static_cast<unsigned>((rows + relayout.rows_per_workgroup - 1) / relayout.rows_per_workgroup),
          static_cast<unsigned>(problem_.kv_heads), 1};
}

std::vector<uint32_t> PrepassPlan::relayout_workgroups(const Relayout& relayout,
                                                       const std::vector<bool>& slots) const {
  const hip::Dim3 grid = grid_of(relayout);
  std::vector<bool> needed(grid.x);
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    if (!slots[slot]) continue;
    const size_t first = slot * problem_.page_size, last = first + problem_.page_size - 1;
    for (size_t x = first / relayout.rows_per_workgroup; x <= last / relayout.rows_per_workgroup; ++x)
      needed[x] = true;
  }
  std::vector<uint32_t> workgroups;
  for (unsigned head = 0; head < grid.y; ++head)
    for (unsigned x = 0; x < grid.x; ++x)
      if (needed[x]) workgroups.push_back(head * grid.x + x);
  return workgroups;
}

std::vector<LaunchWorkgroups> PrepassPlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  const int group = attention::group_of(problem_);
  const std::vector<uint32_t> attention = attention::workgroups_of(work_, rows, group, tile_shape);
  std::vector<bool> slots(slots_.pages.size());
  for (const uint32_t i : attention) {
    const auto& [item, request] = work_[i];
    // Tiles are staged whole, and tiles past the end repeat the last key.
    for (int32_t entry = item.table_begin; entry < slots_.begin[request + 1]; ++entry)
      slots[slots_.slots[entry]] = true;
  }
  return {{relayout_[0].kernel.name, relayout_workgroups(relayout_[0], slots)},
          {relayout_[1].kernel.name, relayout_workgroups(relayout_[1], slots)},
          {attention_.name, attention}};
}

void PrepassPlan::launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only) {
  const auto run = [&](size_t index, const hip::Kernel& kernel, hip::Dim3 grid, unsigned threads,
                       const auto& arguments) {
    const auto* workgroups = only ? &only->at(index).workgroups : nullptr;
    if (grid.x == 0 || (workgroups && workgroups->empty())) return;
    hip::launch(kernel, grid, {threads, 1, 1}, &arguments, sizeof arguments, stream, workgroups);
  };
  for (size_t i = 0; i < 2; ++i)
    run(i, relayout_[i].kernel, grid_of(relayout_[i]), relayout_threads, relayout_[i].arguments);
  run(2, attention_, {static_cast<unsigned>(work_.size()), 1, 1}, attention_threads, attention_arguments_);
}

void PrepassPlan::enqueue(hip::Stream stream) { launch(stream, nullptr); }

void PrepassPlan::enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) {
  launch(stream, &only);
}

} // namespace fmha950::prepass
