#include "impl_prepass/kv_slots.hpp"

#include "attention/host/page_table.hpp"

#include <bit>
#include <unordered_map>

namespace fmha950::prepass {

int rows_of_slot(const Problem& problem) { return 1 << attention::page_shift(problem); }

size_t slots_without_carry(size_t slots, int rows_of_slot, uint64_t heads, int row_bytes) {
  const uint64_t bytes = slots * uint64_t(rows_of_slot) * uint64_t(row_bytes);
  const bool can_divide_4_gib = std::has_single_bit(static_cast<unsigned>(row_bytes));
  return heads * bytes <= uint64_t{1} << 32 || !can_divide_4_gib ? slots : std::bit_ceil(slots);
}

void add_slots(KvSlots& slots, size_t count) {
  if (slots.pages.empty()) return;
  slots.pages.resize(count, slots.pages.back());
  slots.first_rows.resize(count, slots.first_rows.back());
}

KvSlots assign_slots(const Problem& problem, const Tensors& tensors) {
  KvSlots result;
  result.begin.push_back(0);
  const int rows = rows_of_slot(problem), blocks = problem.page_size / rows;
  std::unordered_map<int64_t, int32_t> slot_of_block;
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    for (int token = 0; token < problem.requests[request].key_length; token += rows) {
      const int32_t page = page_of(problem, tensors, request, token);
      const int first_row = token % problem.page_size;
      const int64_t block = int64_t{page} * blocks + first_row / rows;
      const auto [entry, is_new] =
          slot_of_block.try_emplace(block, static_cast<int32_t>(result.pages.size()));
      if (is_new) {
        result.pages.push_back(page);
        result.first_rows.push_back(static_cast<uint32_t>(first_row));
      }
      result.slots.push_back(entry->second);
    }
    result.begin.push_back(static_cast<int32_t>(result.slots.size()));
  }
  return result;
}

} // namespace fmha950::prepass
