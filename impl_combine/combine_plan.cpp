#include "impl_combine/combine_plan.hpp"

#include "gfx950/wave.hpp"
#include "impl_combine/kernel_arguments.hpp"
#include "operators/merge/merge_tensors.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numbers>

namespace fmha950::combine {
namespace {

Strides strides_of(const PartStrides& strides) {
  return {static_cast<uint32_t>(strides.part), static_cast<uint32_t>(strides.token),
          static_cast<uint32_t>(strides.head)};
}

} // namespace

CombinePlan::CombinePlan(const Problem& problem, const DeviceTensors& device)
    : kernel_(fmt::format("combine_{}_to_{}", name_of(problem.kv_type), name_of(problem.output_type))),
      heads_(static_cast<uint32_t>(problem.query_heads)) {
  const auto chunks = static_cast<uint32_t>(problem.head_dim / columns_of_lane);
  const uint32_t lanes_of_row = std::bit_ceil(chunks);
  rows_of_workgroup_ = threads / lanes_of_row;
  const bool base_two = merge_form(problem)->base == LseBase::two;
  const DeviceMergeTensors& parts = merge_tensors(device);
  const CombineArguments arguments = {
      .partial_output = parts.partial_output,
      .partial_lse = parts.partial_lse,
      .output = device.output,
      .lse = device.lse,
      .output_rows = strides_of(output_strides(problem)),
      .lses = strides_of(lse_strides(problem)),
      .parts = static_cast<uint32_t>(merge_form(problem)->parts),
      .rows = static_cast<uint32_t>(problem.total_queries()) * heads_,
      .heads = heads_,
      .chunks = chunks,
      .lanes_shift = static_cast<uint32_t>(std::countr_zero(lanes_of_row)),
      .binary = base_two ? 1 : std::numbers::log2e_v<float>,
      .natural = base_two ? std::numbers::ln2_v<float> : 1,
  };
  const uint32_t workgroups = (arguments.rows + rows_of_workgroup_ - 1) / rows_of_workgroup_;
  add_launch(hip::load_kernel("combine", kernel_), {workgroups, 1, 1}, threads, arguments,
             [this](const std::vector<QueryRow>& rows) { return workgroups_of(rows); });
}

int CombinePlan::query_tile() const { return static_cast<int>(std::max(1u, rows_of_workgroup_ / heads_)); }

TileShape CombinePlan::score_tile() const { return {1, static_cast<int>(parts_at_once)}; }

std::vector<uint32_t> CombinePlan::workgroups_of(const std::vector<QueryRow>& rows) const {
  std::vector<uint32_t> workgroups;
  for (const QueryRow& row : rows) {
    const uint32_t first = static_cast<uint32_t>(row.query) * heads_, last = first + heads_ - 1;
    for (uint32_t w = first / rows_of_workgroup_; w <= last / rows_of_workgroup_; ++w)
      workgroups.push_back(w);
  }
  std::ranges::sort(workgroups);
  workgroups.erase(std::ranges::unique(workgroups).begin(), workgroups.end());
  return workgroups;
}

} // namespace fmha950::combine
