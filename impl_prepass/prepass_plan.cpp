#include "impl_prepass/prepass_plan.hpp"

#include "attention/host/page_table.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <numbers>

namespace fmha950::prepass {
namespace {

// As modelled: a wave without rows takes little of a tile's time.
constexpr attention::ItemCosts item_costs{.tile = 80, .tile_rows = 20, .rows = 350};

bool more_columns(const Problem& problem) { return problem.head_dim > head_dim; }
int k_row_bytes(const Problem& problem) { return more_columns(problem) ? mla_row_bytes : row_bytes; }

void check_limits(const Problem& problem, int64_t scratch_rows) {
  // One head's scratch is one buffer resource, with 32-bit offsets.
  const int64_t max_scratch_rows = (int64_t(1) << 32) / k_row_bytes(problem) - 1;
  if (scratch_rows > max_scratch_rows)
    throw InvalidInput("sk", fmt::format("{} tokens in touched pages", scratch_rows),
                       fmt::format("prepass takes at most {}, a 4 GiB scratch per head", max_scratch_rows));
  attention::check_row_numbers(problem, "prepass");
}

} // namespace

std::string attention_variant(const Problem& problem) {
  if (problem.kv_type == ElementType::fp16) return "prepass_attention_fp16";
  const char* const columns = more_columns(problem) ? "_d192" : "";
  if (problem.quantisation == Quantisation::page)
    return fmt::format("prepass_attention_bf16_blockscale{}", columns);
  return fmt::format("prepass_attention_bf16{}", columns);
}

PrepassPlan::PrepassPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device,
                         std::string variant)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}, item_costs), variant_(std::move(variant)),
      slots_(assign_slots(problem, host)) {
  add_slots(slots_, slots_without_carry(slots_.pages.size(), rows_of_slot(problem), problem.kv_heads,
                                        k_row_bytes(problem)));
  const size_t slots = slots_.pages.size();
  const int64_t rows = static_cast<int64_t>(slots) * rows_of_slot(problem);
  check_limits(problem, rows);
  for (int i = 0; i < 2 && slots > 0; ++i) {
    const auto heads = static_cast<uint64_t>(problem.kv_heads);
    const int bytes = i == 0 ? k_row_bytes(problem) : row_bytes;
    scratch_[i] = attention::PieceBuffer(heads, static_cast<uint64_t>(rows) * bytes);
    if (attention::carries_inside(scratch_[i].as<void>(), heads, static_cast<uint64_t>(rows) * bytes))
      throw InvalidInput(
          "sk", fmt::format("{} tokens in touched pages", rows),
          "with d=192:128 prepass takes at most 4 GiB of scratch in all: a head's keys may not "
          "lie across a multiple of 4 GiB");
    if (problem.quantisation == Quantisation::page)
      slot_descale_[i] = attention::PieceBuffer(heads, slots * sizeof(float));
  }
  pages_ = hip::uploaded(slots_.pages);
  first_rows_ = hip::uploaded(slots_.first_rows);
  request_slots_ = hip::uploaded(slots_.slots);
  set_work(attention::make_work(problem, slots_.begin, shape()));
  add_relayout_launch(host, device, true);
  add_relayout_launch(host, device, false);
  add_attention_launch(host, device);
}

void PrepassPlan::add_relayout_launch(const Tensors& host, const DeviceTensors& device, bool is_k) {
  const Tensor& descale = is_k ? host.k_descale : host.v_descale;
  const void* descale_on_device = is_k ? device.k_descale : device.v_descale;
  const bool mx = descale.type() == ElementType::e8m0 && !descale.empty();
  const bool per_page = problem().quantisation == Quantisation::page;
  const unsigned element = element_bytes(problem().kv_type);
  const bool wide = is_k && more_columns(problem());
  const unsigned row = (wide ? mla_key_dim : head_dim) * element;
  const unsigned page = problem().page_size, heads = problem().kv_heads;
  const bool transposing = problem().kv_layout == KvLayout::vectorized && !is_k;

  RelayoutArguments arguments = {};
  arguments.pool = is_k ? device.k_pool : device.v_pool;
  arguments.scratch = scratch_[is_k ? 0 : 1].as<void>();
  arguments.pages = pages_.as<int32_t>();
  arguments.first_rows = first_rows_.as<uint32_t>();
  arguments.exponents = mx ? static_cast<const uint8_t*>(descale_on_device) : nullptr;
  arguments.exponent_axis = !mx ? Exponents::none : is_k ? Exponents::per_32_columns : Exponents::per_32_rows;
  arguments.descale = per_page ? static_cast<const float*>(descale_on_device) : nullptr;
  arguments.slot_descale = slot_descale_[is_k ? 0 : 1].as<float>();
  arguments.split_descale = per_page && !is_k; // K's is applied to fp32 scores, V's to P before it is rounded
  const int64_t stride = is_k ? device.k_page_stride : device.v_page_stride;
  arguments.page_stride = uint64_t(stride != 0 ? stride
                                   : is_k      ? problem().page_elements()
                                               : problem().value_page_elements()) *
                          element;
  arguments.slots = static_cast<uint32_t>(slots_.pages.size());
  arguments.kv_heads = heads;
  arguments.slot_shift = attention::page_shift(problem());
  arguments.page_size = page;
  switch (problem().kv_layout) {
  case KvLayout::linear: // [pages, page, Hkv, D]
    arguments.head_stride = row;
    arguments.row_stride = heads * row;
    arguments.chunk_stride = 16;
    break;
  case KvLayout::hnd: // [pages, Hkv, page, D]
    arguments.head_stride = page * row;
    arguments.row_stride = row;
    arguments.chunk_stride = 16;
    break;
  case KvLayout::vectorized: // K [pages, Hkv, D / x, page, x], V [pages, Hkv, page / x, D, x]
    arguments.head_stride = page * row;
    arguments.row_stride = 16;
    arguments.chunk_stride = (is_k ? page : head_dim) * 16;
    break;
  }
  // A thread takes 16 bytes of a row; transposing, a wave takes 16 bytes' worth of rows.
  const unsigned rows_per_workgroup =
      transposing ? relayout_threads / 64 * (16 / element) : relayout_threads / (row / 16);
  const auto name = fmt::format("relayout_{}_{}",
                                transposing ? "columns"
                                : wide      ? "wide_rows"
                                            : "rows",
                                element == 1 ? "fp8" : "16bit");
  const auto rows =
      static_cast<unsigned>(slots_.pages.size()) * static_cast<unsigned>(rows_of_slot(problem()));
  const hip::Dim3 grid = {(rows + rows_per_workgroup - 1) / rows_per_workgroup, heads, 1};
  add_launch(hip::load_kernel(wide ? "prepass_relayout_d192" : "prepass_relayout", name), grid,
             relayout_threads, arguments,
             [this, grid, rows_per_workgroup](const std::vector<QueryRow>& queries) {
               return relayout_workgroups_of(slots_of(queries), grid, rows_per_workgroup);
             });
}

void PrepassPlan::add_attention_launch(const Tensors& host, const DeviceTensors& device) {
  const bool mx = problem().quantisation == Quantisation::mx;
  const double score_scale = double(problem().softmax_scale()) * std::numbers::log2e *
                             tensor_descale(host.q_descale) * tensor_descale(host.k_descale);
  const AttentionArguments arguments = {
      .work = items(),
      .q = device.q,
      .q_exponents = mx ? static_cast<const uint32_t*>(device.q_descale) : nullptr,
      .k = scratch_[0].as<void>(),
      .v = scratch_[1].as<void>(),
      .k_slot_descale = slot_descale_[0].as<float>(),
      .v_slot_descale = slot_descale_[1].as<float>(),
      .slots = request_slots_.as<int32_t>(),
      .output = device.output,
      .lse = device.lse,
      .slot_count = static_cast<uint32_t>(slots_.pages.size()),
      .page_shift = attention::page_shift(problem()),
      .query_heads = static_cast<uint32_t>(problem().query_heads),
      .heads_per_kv_head = static_cast<uint32_t>(problem().heads_per_kv_head()),
      .query_format = problem().query_type == ElementType::fp8 ? QueryFormat::fp8 : QueryFormat::plain,
      .window = attention::mask_window(problem()),
      .score_scale = static_cast<float>(score_scale),
      .value_scale = tensor_descale(host.v_descale),
  };
  add_tile_launch(hip::load_kernel(variant_, "attention_forward"), attention_threads, arguments);
}

size_t PrepassPlan::workspace_bytes() const {
  size_t bytes = pages_.bytes() + first_rows_.bytes() + request_slots_.bytes() + items_bytes();
  for (int i = 0; i < 2; ++i) bytes += scratch_[i].bytes() + slot_descale_[i].bytes();
  return bytes;
}

std::vector<bool> PrepassPlan::slots_of(const std::vector<QueryRow>& rows) const {
  std::vector<bool> slots(slots_.pages.size());
  for (const uint32_t i : tiles_of(rows)) {
    const auto& [item, request] = work()[i];
    // Tiles are staged whole, and tiles past the end repeat the last key.
    for (int32_t entry = item.table_begin; entry < slots_.begin[request + 1]; ++entry)
      slots[slots_.slots[entry]] = true;
  }
  return slots;
}

std::vector<uint32_t> PrepassPlan::relayout_workgroups_of(const std::vector<bool>& slots, hip::Dim3 grid,
                                                          unsigned rows_per_workgroup) const {
  std::vector<bool> needed(grid.x);
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    if (!slots[slot]) continue;
    const size_t rows = rows_of_slot(problem()), first = slot * rows, last = first + rows - 1;
    for (size_t x = first / rows_per_workgroup; x <= last / rows_per_workgroup; ++x) needed[x] = true;
  }
  std::vector<uint32_t> workgroups;
  for (unsigned head = 0; head < grid.y; ++head)
    for (unsigned x = 0; x < grid.x; ++x)
      if (needed[x]) workgroups.push_back(head * grid.x + x);
  return workgroups;
}

} // namespace fmha950::prepass
