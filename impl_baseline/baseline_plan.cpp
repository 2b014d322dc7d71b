#include "impl_baseline/baseline_plan.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace fmha950::baseline {
namespace {

// Rows of a request are numbered in 32 bits, masks add lengths to them.
constexpr int64_t max_query_rows = int64_t(1) << 29;
constexpr attention::TileShape tile_shape = {rows_per_tile, keys_per_tile};

int group_of(const Problem& problem) { return problem.query_heads / problem.kv_heads; }

int64_t row_bytes(const Problem& problem) {
  return int64_t(problem.head_dim) * element_bytes(problem.kv_type);
}

int64_t page_bytes(const Problem& problem) {
  return row_bytes(problem) * problem.page_size * problem.kv_heads;
}

// The one fp32 descale of a tensor, or 1: those per page are the kernel's, absent ones nobody's.
float tensor_descale(const Tensor& descale) { return descale.elements() == 1 ? descale.as<float>()[0] : 1; }

// First entry of each request in the kernel's list of pages.
std::vector<int32_t> table_begins(const Problem& problem, const Tensors& host) {
  if (problem.page_table == PageTable::sglang) {
    const auto indptr = host.kv_indptr.as<int32_t>();
    return {indptr.begin(), indptr.end()};
  }
  std::vector<int32_t> begins;
  for (size_t request = 0; request < problem.requests.size(); ++request)
    begins.push_back(static_cast<int32_t>(static_cast<int64_t>(request) * host.block_table.shape()[1]));
  return begins;
}

void check_limits(const Problem& problem, const Tensors& host) {
  if (const int64_t bytes = page_bytes(problem); bytes > std::numeric_limits<uint32_t>::max())
    throw InvalidInput(
        "page", fmt::format("{} tokens of {} KV heads, {} bytes", problem.page_size, problem.kv_heads, bytes),
        "baseline takes pages below 4 GiB");
  const int64_t rows = int64_t(problem.max_query_length()) * group_of(problem);
  if (rows > max_query_rows)
    throw InvalidInput("sq", fmt::format("{} queries times heads per KV head", rows),
                       fmt::format("baseline takes at most {} per request", max_query_rows));
  if (problem.page_table == PageTable::vllm &&
      host.block_table.elements() > std::numeric_limits<int32_t>::max())
    throw InvalidInput("block_table", fmt::format("{} entries", host.block_table.elements()),
                       fmt::format("baseline takes at most {}", std::numeric_limits<int32_t>::max()));
}

Pools pools_of(const Problem& problem, const DeviceTensors& device) {
  const auto row = static_cast<uint32_t>(row_bytes(problem));
  const uint32_t heads = problem.kv_heads, page = problem.page_size;
  Pools pools = {.k = device.k_pool,
                 .v = device.v_pool,
                 .page_stride = static_cast<uint32_t>(page_bytes(problem)),
                 .head_stride = row,
                 .k_row_stride = heads * row,
                 .k_chunk_stride = 16};
  if (problem.kv_layout == KvLayout::vectorized) { // [pages, Hkv, D / x, page, x]
    pools.head_stride = page * row;
    pools.k_row_stride = 16;
    pools.k_chunk_stride = page * 16;
  }
  return pools;
}

} // namespace

KernelChoice choose_kernel(const Problem& problem) {
  const bool block_scale = problem.quantisation == Quantisation::kv_blockscale;
  return {fmt::format("baseline_{}{}_d{}", name_of(problem.kv_type), block_scale ? "_blockscale" : "",
                      problem.head_dim),
          fmt::format("attention_{}", name_of(problem.kv_layout))};
}

BaselinePlan::BaselinePlan(const Problem& problem, const Tensors& host, const DeviceTensors& device)
    : problem_(problem) {
  check_limits(problem, host);
  const KernelChoice choice = choose_kernel(problem);
  variant_ = fmt::format("{}_{}", choice.code_object, name_of(problem.kv_layout));
  kernel_ = hip::load_kernel(choice.code_object, choice.kernel);

  work_ = attention::make_work(problem, table_begins(problem, host), tile_shape);
  std::vector<attention::WorkItem> items;
  for (const attention::Work& work : work_) items.push_back(work.item);
  if (!items.empty()) {
    work_items_ = hip::Buffer(items.size() * sizeof items[0]);
    work_items_.upload(items.data(), work_items_.bytes());
  }

  const bool block_scale = problem.quantisation == Quantisation::kv_blockscale;
  const bool capped = problem.soft_cap != 0;
  const double scale = double(problem.softmax_scale()) * tensor_descale(host.q_descale) *
                       (block_scale ? 1 : tensor_descale(host.k_descale));
  const double log2e = std::numbers::log2e;
  arguments_ = {
      .work = work_items_.as<attention::WorkItem>(),
      .q = device.q,
      .pools = pools_of(problem, device),
      .k_descale = static_cast<const float*>(device.k_descale),
      .v_descale = static_cast<const float*>(device.v_descale),
      .table = problem.page_table == PageTable::sglang ? device.kv_page_indices : device.block_table,
      .sink_logit = problem.sink_logit ? device.sink_logit : nullptr,
      .output = device.output,
      .lse = device.lse,
      .page_shift = static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(problem.page_size))),
      .query_heads = static_cast<uint32_t>(problem.query_heads),
      .kv_heads = static_cast<uint32_t>(problem.kv_heads),
      .group = static_cast<uint32_t>(group_of(problem)),
      .window = attention::mask_window(problem),
      .score_scale = static_cast<float>((capped ? double(problem.soft_cap) : scale) * log2e),
      .cap_scale = static_cast<float>(capped ? 2 * log2e * scale / problem.soft_cap : 0),
      .value_scale = block_scale ? 1 : tensor_descale(host.v_descale),
  };
}

PlainRounding BaselinePlan::plain_rounding() const {
  if (problem_.kv_type == ElementType::fp8) return {ElementType::fp8, 8};
  return {problem_.kv_type, 0};
}

int BaselinePlan::query_tile() const { return std::max(1, rows_per_tile / group_of(problem_)); }

std::vector<LaunchWorkgroups> BaselinePlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  std::vector<uint32_t> workgroups;
  for (size_t i = 0; i < work_.size(); ++i)
    if (std::any_of(rows.begin(), rows.end(), [&](const QueryRow& row) {
          return computes(work_[i], row, group_of(problem_), tile_shape);
        }))
      workgroups.push_back(static_cast<uint32_t>(i));
  return {{kernel_.name, workgroups}};
}

void BaselinePlan::launch(hip::Stream stream, const std::vector<uint32_t>* only) {
  if (work_.empty() || (only && only->empty())) return;
  hip::launch(kernel_, {static_cast<unsigned>(work_.size()), 1, 1}, {threads, 1, 1}, &arguments_,
              sizeof arguments_, stream, only);
}

void BaselinePlan::enqueue(hip::Stream stream) { launch(stream, nullptr); }

void BaselinePlan::enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) {
  launch(stream, &only.at(0).workgroups);
}

} // namespace fmha950::baseline
