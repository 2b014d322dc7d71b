#include "impl_prepass/sparse/dequantising_plan.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <chrono>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

namespace fmha950::prepass::sparse {
namespace {

// The attention kernels. Up to 32 heads would leave half of four waves of 16 heads without any, up to 64 half
// of eight.
struct Tiling {
  const char *code_object, *kernel;
  unsigned threads, heads; // of a workgroup
  int keys;                // of a tile
};

Tiling tiling_of(int heads) {
  if (heads <= 16) return {"prepass_sparse_narrow", "sparse_attention_16", 256, 16, 64};
  if (heads <= 32) return {"prepass_sparse_narrow", "sparse_attention_32", 256, 32, 64};
  if (heads <= 64) return {"prepass_sparse_wide", "sparse_attention_64", 256, 64, 32};
  return {"prepass_sparse_wide", "sparse_attention_128", 512, 128, 32};
}

const char* dequantise_kernel(RowFormat format) {
  return format == RowFormat::packed ? "dequantise_packed" : "dequantise_split";
}

// What the token's lists say, in slots of the scratch.
std::vector<int32_t> slots_of(const RowSlots& slots, const Tensor& indptr, const Tensor& indices,
                              const std::vector<QueryRow>& rows) {
  const auto begins = indptr.as<int32_t>();
  const auto listed = slots.whole ? indices.as<int32_t>()
                                  : std::span<const int32_t>(slots.indices.begin(), slots.indices.end());
  std::vector<int32_t> of_rows;
  for (const QueryRow& row : rows) {
    const auto list = listed.subspan(begins[row.query], begins[row.query + 1] - begins[row.query]);
    of_rows.insert(of_rows.end(), list.begin(), list.end());
  }
  return of_rows;
}

} // namespace

DequantisingPlan::DequantisingPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device)
    : problem_(problem), host_(sparse_tensors(host)) {
  if (problem.kv_type == ElementType::fp8) add_dequantise_launch(sparse_tensors(device));
  add_attention_launch(device);
}

void DequantisingPlan::add_dequantise_launch(const DeviceSparseTensors& device) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  RowSlots pool = assign_row_slots(host_.prefix_indptr, host_.prefix_indices, host_.pool.rows());
  RowSlots chunk = assign_row_slots(host_.extend_indptr, host_.extend_indices, host_.chunk.rows());
  planning_milliseconds_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  dequantised_.emplace_back(device.q, RowSlots{host_.q.rows(), true, {}, {}});
  dequantised_.emplace_back(device.pool, std::move(pool));
  dequantised_.emplace_back(device.chunk, std::move(chunk));

  const DequantiseArguments arguments = {
      {dequantised_[0].arguments(), dequantised_[1].arguments(), dequantised_[2].arguments()}};
  uint32_t workgroups = 0;
  for (const DequantisedRows& rows : dequantised_) workgroups += rows.workgroups();
  add_launch(hip::load_kernel("prepass_sparse_dequantise", dequantise_kernel(row_format(problem_))),
             {workgroups, 1, 1}, dequantise_threads, arguments,
             [this](const std::vector<QueryRow>& rows) { return dequantise_workgroups_of(rows); });
}

void DequantisingPlan::add_attention_launch(const DeviceTensors& device) {
  const Tiling tiling = tiling_of(problem_.query_heads);
  const bool dequantised = !dequantised_.empty();
  variant_ =
      fmt::format("{}/{}", dequantised ? dequantise_kernel(row_format(problem_)) : "bf16", tiling.kernel);
  score_tile_ = {static_cast<int>(tiling.heads), tiling.keys};
  const DeviceSparseTensors& given = sparse_tensors(device);
  AttentionArguments arguments = {
      .q = given.q.nope,
      .pool = given.pool.nope,
      .chunk = given.chunk.nope,
      .prefix_indptr = given.prefix_indptr,
      .prefix_indices = given.prefix_indices,
      .extend_indptr = given.extend_indptr,
      .extend_indices = given.extend_indices,
      .sink_logit = device.sink_logit,
      .output = device.output,
      .lse = device.lse,
      .heads = static_cast<uint32_t>(problem_.query_heads),
      .score_scale = static_cast<float>(double(problem_.softmax_scale()) * std::numbers::log2e),
  };
  if (dequantised) {
    arguments.q = dequantised_[0].rows();
    arguments.pool = dequantised_[1].rows();
    arguments.chunk = dequantised_[2].rows();
    arguments.prefix_indices = dequantised_[1].indices(given.prefix_indices);
    arguments.extend_indices = dequantised_[2].indices(given.extend_indices);
  }
  const unsigned workgroups_per_token = (arguments.heads + tiling.heads - 1) / tiling.heads;
  std::vector<int32_t> tokens(static_cast<size_t>(problem_.total_queries()));
  std::iota(tokens.begin(), tokens.end(), 0);
  add_launch(
      hip::load_kernel(tiling.code_object, tiling.kernel),
      {static_cast<unsigned>(problem_.total_queries()), workgroups_per_token, 1}, tiling.threads, arguments,
      [this, workgroups_per_token](const std::vector<QueryRow>& rows) {
        return attention_workgroups_of(rows, workgroups_per_token);
      },
      keys_of_workgroups(host_, tokens, workgroups_per_token));
}

size_t DequantisingPlan::workspace_bytes() const {
  size_t bytes = 0;
  for (const DequantisedRows& rows : dequantised_) bytes += rows.bytes();
  return bytes;
}

std::vector<uint32_t> DequantisingPlan::dequantise_workgroups_of(const std::vector<QueryRow>& rows) const {
  std::vector<int32_t> queries;
  for (const QueryRow& row : rows)
    for (int head = 0; head < problem_.query_heads; ++head)
      queries.push_back(row.query * problem_.query_heads + head);
  const std::vector<int32_t> slots[] = {
      std::move(queries), slots_of(dequantised_[1].slots(), host_.prefix_indptr, host_.prefix_indices, rows),
      slots_of(dequantised_[2].slots(), host_.extend_indptr, host_.extend_indices, rows)};
  std::vector<uint32_t> workgroups;
  uint32_t before = 0;
  for (size_t i = 0; i < dequantised_.size(); ++i) {
    for (const uint32_t workgroup : DequantisedRows::workgroups_of(slots[i]))
      workgroups.push_back(before + workgroup);
    before += dequantised_[i].workgroups();
  }
  return workgroups;
}

std::vector<uint32_t> DequantisingPlan::attention_workgroups_of(const std::vector<QueryRow>& rows,
                                                                unsigned workgroups_per_token) const {
  std::vector<uint32_t> workgroups;
  for (unsigned workgroup = 0; workgroup < workgroups_per_token; ++workgroup)
    for (const QueryRow& row : rows)
      workgroups.push_back(workgroup * static_cast<uint32_t>(problem_.total_queries()) +
                           static_cast<uint32_t>(row.query));
  return workgroups;
}

} // namespace fmha950::prepass::sparse
