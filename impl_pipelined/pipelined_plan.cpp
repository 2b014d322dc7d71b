#include "impl_pipelined/pipelined_plan.hpp"

#include "attention/host/carry.hpp"
#include "attention/host/chiplet_order.hpp"
#include "attention/host/page_table.hpp"
#include "attention/host/value_descales.hpp"
#include "impl_pipelined/partial_rows.hpp"
#include "impl_pipelined/pipelined_costs.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <span>

namespace fmha950::pipelined {
namespace {

constexpr uint64_t max_buffer_bytes = (uint64_t(1) << 32) - 1; // num_records has 32 bits

// Whether a page's place is a product of 24 bits by 24 bits, as prefill_scattered has it.
bool has_small_factors(const PoolPlaces& pools, uint64_t page_bytes) {
  constexpr uint64_t end = uint64_t(1) << 24;
  return page_bytes < end && pools.bytes / page_bytes <= end;
}

bool carries_inside(const PoolPlaces& pools, uint64_t piece_bytes) {
  const uint64_t pieces = piece_bytes == 0 ? 0 : pools.bytes / piece_bytes;
  return attention::carries_inside(pools.k, pieces, piece_bytes) ||
         attention::carries_inside(pools.v, pieces, piece_bytes);
}

void check_limits(const Problem& problem) {
  attention::check_row_numbers(problem, "pipelined");
  // Tiles past the end are addressed, too: two are in flight.
  const uint64_t bytes =
      (uint64_t(problem.max_key_length()) + 4 * keys_per_tile) * problem.kv_heads * head_dim;
  if (!problem.paged && bytes > max_buffer_bytes)
    throw InvalidInput("sk", fmt::format("{} with {} KV heads", problem.max_key_length(), problem.kv_heads),
                       "without pages a request's keys must lie within 4 GiB");
}

// Whether a multiple of 4 GiB lies inside a page that is used.
bool splits_a_used_page(const Problem& problem, const Tensors& host, const PoolPlaces& pools) {
  const auto page_bytes = uint64_t(problem.page_elements());
  if (!carries_inside(pools, page_bytes)) return false;
  return std::ranges::any_of(touched_pages(problem, host), [&](int32_t page) {
    const uint64_t place = uint64_t(page) * page_bytes;
    return std::ranges::any_of(std::array{pools.k, pools.v}, [&](const void* pool) {
      return attention::carries_inside(static_cast<const uint8_t*>(pool) + place, 1, page_bytes);
    });
  });
}

PoolPlaces places_of(const Problem& problem, const Tensors& host, const DeviceTensors& device) {
  PoolPlaces pools = {device.k_pool, device.v_pool, host.k_pool.bytes()};
  pools.splits_a_page = splits_a_used_page(problem, host, pools);
  const uint64_t row_bytes = uint64_t(problem.kv_heads) * head_dim;
  for (size_t r = 0; r < problem.requests.size() && !problem.paged; ++r) {
    const auto keys = static_cast<uint64_t>(problem.requests[r].key_length);
    if (keys == 0) continue;
    const auto first_row = uint64_t(page_of(problem, host, static_cast<int>(r), 0)) * problem.page_size;
    for (const void* pool : {device.k_pool, device.v_pool})
      pools.splits_a_row_of_keys |= attention::carries_inside(
          static_cast<const uint8_t*>(pool) + first_row * row_bytes, 1, keys * row_bytes);
  }
  return pools;
}

} // namespace

Variant variant_of(const Problem& problem, const PoolPlaces& pools, Path path) {
  std::string code_object = "pipelined_fp8";
  if (path == Path::f8f6f4) code_object = "pipelined_f8f6f4";
  if (path == Path::direct_p) code_object = "pipelined_direct";
  if (problem.quantisation == Quantisation::page) code_object += "_blockscale";
  const auto page_bytes = uint64_t(problem.page_elements());
  std::string kernel = "prefill_scattered";
  // A tile with page descales needs its page for the descale.
  if (!problem.paged && problem.quantisation != Quantisation::page && !pools.splits_a_row_of_keys)
    kernel = "prefill_contiguous";
  else if (problem.page_size >= keys_per_tile && !pools.splits_a_page)
    kernel = "prefill_rebased";
  else if (pools.bytes > max_buffer_bytes || carries_inside(pools, pools.bytes) ||
           !has_small_factors(pools, page_bytes))
    kernel += "_64";
  if (problem.soft_cap != 0) kernel += "_cap";
  return {std::move(code_object), std::move(kernel)};
}

PipelinedPlan::PipelinedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device,
                             Path path)
    : TiledPlan(problem, {rows_per_tile, keys_per_tile}), path_(path) {
  check_limits(problem);
  const PoolPlaces pools = places_of(problem, host, device);
  variant_ = variant_of(problem, pools, path);
  if (problem.quantisation == Quantisation::page) attention::check_value_descales(problem, host, "pipelined");
  plan_work(host);
  const hip::Kernel kernel = hip::load_kernel(variant_.code_object, variant_.kernel);
  PrefillArguments arguments = prefill_arguments(host, device);
  if (whole_ > 0 || !splits()) add_tile_launch(kernel, prefill_threads, arguments, {0, whole_});
  if (!splits()) return;
  arguments.work += whole_;
  arguments.partial_output = partial_output_.as<float>();
  arguments.partial_lse = partial_lse_.as<float>();
  add_tile_launch(kernel, prefill_threads, arguments, {whole_, work().size()});
  add_combine_launch(device);
}

void PipelinedPlan::plan_work(const Tensors& host) {
  std::vector<int32_t> begins = attention::table_begins(problem(), host);
  if (variant_.kernel.starts_with("prefill_contiguous"))
    for (size_t r = 0; r < begins.size(); ++r)
      begins[r] = problem().requests[r].key_length > 0 ? page_of(problem(), host, static_cast<int>(r), 0) : 0;
  attention::SplitWork split = split_work(problem(), attention::make_work(problem(), begins, shape()));
  whole_ = split.whole.size();
  if (!split.parts.empty()) {
    const uint32_t blocks = plan_joining(split.parts);
    partial_output_ = hip::Buffer(size_t{blocks} * PartialRows::block_floats * sizeof(float));
    partial_lse_ = hip::Buffer(size_t{blocks} * PartialRows::rows_of_block * sizeof(float));
    join_items_ = hip::uploaded(joins_);
  }
  std::vector<attention::Work> ordered = attention::order_for_chiplets(std::move(split.whole));
  std::ranges::move(attention::order_for_chiplets(std::move(split.parts)), std::back_inserter(ordered));
  set_work(std::move(ordered));
}

// Gives every part its place among the partial results, and every block of rows of a tile its workgroup of
// the combine step. Parts of a tile follow one another.
uint32_t PipelinedPlan::plan_joining(std::vector<attention::Work>& parts) {
  uint32_t block = 0;
  for (auto first = parts.begin(); first != parts.end();) {
    const attention::WorkItem tile = first->item;
    const auto end = std::find_if(first + 1, parts.end(), [](const auto& w) { return w.item.part == 0; });
    const int end_row =
        std::min(tile.first_row + rows_per_tile, tile.query_length * problem().heads_per_kv_head());
    const uint32_t blocks = PartialRows::blocks(static_cast<uint32_t>(end_row - tile.first_row));
    const auto count = static_cast<uint32_t>(end - first);
    for (uint32_t b = 0; b < blocks; ++b)
      joins_.push_back({.query_begin = static_cast<uint32_t>(tile.query_begin),
                        .kv_head = static_cast<uint32_t>(tile.kv_head),
                        .first_row = static_cast<uint32_t>(tile.first_row) + b * PartialRows::rows_of_block,
                        .end_row = static_cast<uint32_t>(end_row),
                        .block = block + b,
                        .block_stride = blocks,
                        .parts = count});
    parts_ = std::max(parts_, static_cast<int>(count));
    for (; first != end; ++first, block += blocks) first->item.part = static_cast<int32_t>(block);
  }
  return block;
}

PrefillArguments PipelinedPlan::prefill_arguments(const Tensors& host, const DeviceTensors& device) const {
  const bool page_descales = problem().quantisation == Quantisation::page;
  const double scale = double(problem().softmax_scale()) * tensor_descale(host.q_descale) *
                       tensor_descale(host.k_descale) * std::numbers::log2e;
  const uint32_t row_stride = static_cast<uint32_t>(problem().kv_heads) * head_dim;
  return {
      .work = items(),
      .q = static_cast<const uint8_t*>(device.q),
      .k_pool = static_cast<const uint8_t*>(device.k_pool),
      .v_pool = static_cast<const uint8_t*>(device.v_pool),
      .table = attention::device_table(problem(), device),
      .k_descale = page_descales ? static_cast<const float*>(device.k_descale) : nullptr,
      .v_descale = page_descales ? static_cast<const float*>(device.v_descale) : nullptr,
      .output = device.output,
      .lse = device.lse,
      .partial_output = nullptr,
      .partial_lse = nullptr,
      .page_stride = uint64_t(problem().page_size) * row_stride,
      .pool_bytes = host.k_pool.bytes(),
      .row_stride = row_stride,
      .page_shift = attention::page_shift(problem()),
      .kv_heads = static_cast<uint32_t>(problem().kv_heads),
      .query_heads = static_cast<uint32_t>(problem().query_heads),
      .heads_per_kv_head = static_cast<uint32_t>(problem().heads_per_kv_head()),
      .window = attention::mask_window(problem()),
      .score_scale = static_cast<float>(problem().soft_cap != 0 ? scale * 2 / problem().soft_cap : scale),
      .cap_outer = static_cast<float>(problem().soft_cap * std::numbers::log2e),
      .value_scale = tensor_descale(host.v_descale),
  };
}

std::string PipelinedPlan::variant() const {
  const std::string name = variant_.code_object + "/" + variant_.kernel;
  return splits() ? fmt::format("{}/split={}", name, parts_) : name;
}

uint32_t PipelinedPlan::combine_workgroups() const {
  return static_cast<uint32_t>((joins_.size() + combine_blocks - 1) / combine_blocks);
}

size_t PipelinedPlan::workspace_bytes() const {
  return items_bytes() + partial_output_.bytes() + partial_lse_.bytes() + join_items_.bytes();
}

ProbabilityRounding PipelinedPlan::probability_rounding() const {
  const bool direct = path_ == Path::direct_p;
  return {.type = ElementType::fp8, .shift = fp8_shift, .sum_rounded = direct, .linear = direct};
}

std::vector<PartialWeight> PipelinedPlan::partial_weights(const std::vector<QueryRow>& rows) const {
  std::vector<PartialWeight> weights;
  if (!splits()) return weights;
  const int heads_per_kv_head = problem().heads_per_kv_head();
  for (const attention::Work& part : std::span(work()).subspan(whole_))
    for (const QueryRow& row : rows) {
      if (row.request != part.request) continue;
      for (int head = 0; head < heads_per_kv_head; ++head) {
        // The row's place in its tile.
        const int index = row.query * heads_per_kv_head + head - part.item.first_row;
        if (index < 0 || index >= rows_per_tile) continue;
        weights.push_back(
            {.launch = whole_ > 0 ? size_t{2} : size_t{1},
             .lse = partial_lse_.as<float>() +
                    PartialRows::lse(static_cast<uint32_t>(part.item.part), static_cast<uint32_t>(index)),
             .row = row,
             .head = part.item.kv_head * heads_per_kv_head + head,
             .tile =
                 part.item.kv_head * (problem().max_query_length() * heads_per_kv_head / rows_per_tile + 1) +
                 part.item.first_row / rows_per_tile,
             .first_key = part.item.first_tile * keys_per_tile,
             .last_key = std::min(part.item.end_tile * keys_per_tile, part.item.key_length)});
      }
    }
  return weights;
}

void PipelinedPlan::add_combine_launch(const DeviceTensors& device) {
  const CombineArguments arguments = {.items = join_items_.as<CombineItem>(),
                                      .blocks = static_cast<uint32_t>(joins_.size()),
                                      .workgroups = combine_workgroups(),
                                      .partial_output = partial_output_.as<float>(),
                                      .partial_lse = partial_lse_.as<float>(),
                                      .output = device.output,
                                      .lse = device.lse,
                                      .query_heads = static_cast<uint32_t>(problem().query_heads),
                                      .heads_per_kv_head =
                                          static_cast<uint32_t>(problem().heads_per_kv_head())};
  add_launch(
      hip::load_kernel("pipelined_combine", "combine_parts"), {combine_workgroups(), 1, 1}, combine_threads,
      arguments, [this](const std::vector<QueryRow>& rows) { return combine_workgroups_of(rows); },
      joined_parts());
}

std::vector<uint32_t> PipelinedPlan::joined_parts() const {
  std::vector<uint32_t> parts(combine_workgroups());
  for (size_t i = 0; i < joins_.size(); ++i) parts[i % parts.size()] += joins_[i].parts;
  return parts;
}

std::vector<uint32_t> PipelinedPlan::combine_workgroups_of(const std::vector<QueryRow>& rows) const {
  std::vector<uint32_t> first_query;
  uint32_t queries = 0;
  for (const Request& request : problem().requests) {
    first_query.push_back(queries);
    queries += static_cast<uint32_t>(request.query_length);
  }
  const auto heads_per_kv_head = static_cast<uint32_t>(problem().heads_per_kv_head());
  std::vector<uint32_t> combining;
  for (uint32_t i = 0; i < joins_.size(); ++i) {
    const CombineItem& join = joins_[i];
    const auto joins = [&](const QueryRow& row) {
      const uint32_t begin = static_cast<uint32_t>(row.query) * heads_per_kv_head;
      return first_query[row.request] == join.query_begin && begin < join.end_row &&
             begin < join.first_row + PartialRows::rows_of_block &&
             begin + heads_per_kv_head > join.first_row;
    };
    if (std::any_of(rows.begin(), rows.end(), joins)) combining.push_back(i % combine_workgroups());
  }
  std::sort(combining.begin(), combining.end());
  combining.erase(std::unique(combining.begin(), combining.end()), combining.end());
  return combining;
}

} // namespace fmha950::pipelined
