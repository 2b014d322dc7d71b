#include "impl_prepass/sparse/row_slots.hpp"

namespace fmha950::prepass::sparse {

RowSlots assign_row_slots(const Tensor& indptr, const Tensor& indices, int64_t rows) {
  const auto begins = indptr.as<int32_t>();
  const auto listed = indices.as<int32_t>().first(begins.empty() ? 0 : begins.back());
  RowSlots slots;
  slots.indices.reserve(listed.size());
  std::vector<int32_t> slot_of(rows, -1);
  for (const int32_t row : listed) {
    int32_t& slot = slot_of[row];
    if (slot < 0) {
      slot = static_cast<int32_t>(slots.rows.size());
      slots.rows.push_back(row);
      if (slots.rows.size() * 8 > static_cast<size_t>(rows) * 7) return {rows, true, {}, {}};
    }
    slots.indices.push_back(slot);
  }
  slots.count = static_cast<int64_t>(slots.rows.size());
  return slots;
}

} // namespace fmha950::prepass::sparse
