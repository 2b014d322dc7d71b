#include "impl_prepass/sparse/dequantised_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <algorithm>

namespace fmha950::prepass::sparse {

DequantisedRows::DequantisedRows(const DeviceSparseRows& source, RowSlots slots) : slots_(std::move(slots)) {
  if (slots_.count > 0) scratch_ = hip::Buffer(static_cast<size_t>(slots_.count) * row_bytes);
  wanted_ = hip::uploaded(slots_.rows);
  indices_ = hip::uploaded(slots_.indices);
  arguments_ = {
      .nope = source.nope,
      .rope = source.rope,
      .scale = source.scale,
      .rows = wanted_.as<int32_t>(),
      .destination = scratch_.get(),
      .count = static_cast<uint32_t>(slots_.count),
  };
}

const int32_t* DequantisedRows::indices(const int32_t* given) const {
  return slots_.whole ? given : indices_.as<int32_t>();
}

std::vector<uint32_t> DequantisedRows::workgroups_of(std::span<const int32_t> slots) {
  std::vector<uint32_t> workgroups;
  workgroups.reserve(slots.size());
  for (const int32_t slot : slots)
    workgroups.push_back(dequantise_workgroups(static_cast<uint32_t>(slot) + 1) - 1);
  std::ranges::sort(workgroups);
  const auto repeated = std::ranges::unique(workgroups);
  workgroups.erase(repeated.begin(), repeated.end());
  return workgroups;
}

} // namespace fmha950::prepass::sparse
