#include "operators/paged/definition.hpp"

#include "numerics/threads.hpp"
#include "workload/finite.hpp"
#include "workload/seen_slots.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::operators {
namespace {

using namespace workload;

struct Pool {
  const char* name;
  const Tensor& tensor;
  int columns;
  int64_t (*index)(const Problem& problem, int64_t page, int slot, int head, int column);
};

bool is_finite(const Problem& problem, const Pool& pool, const SeenSlots& slots) {
  const auto holds = [&](int64_t first, int64_t count) {
    return first_not_finite(pool.tensor, first, count) < 0;
  };
  const int64_t row = int64_t{problem.kv_heads} * pool.columns, page = row * problem.page_size;
  const int count = slots.last_slot - slots.first_slot;
  if (count == problem.page_size) return holds(slots.page * page, page);
  if (problem.kv_layout == KvLayout::linear)
    return holds(pool.index(problem, slots.page, slots.first_slot, 0, 0), count * row);
  if (problem.kv_layout == KvLayout::hnd) {
    for (int head = 0; head < problem.kv_heads; ++head)
      if (!holds(pool.index(problem, slots.page, slots.first_slot, head, 0), int64_t{count} * pool.columns))
        return false;
    return true;
  }
  for (int slot = slots.first_slot; slot < slots.last_slot; ++slot)
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int column = 0; column < pool.columns; ++column)
        if (!holds(pool.index(problem, slots.page, slot, head, column), 1)) return false;
  return true;
}

// The first one in these slots; there is one.
[[noreturn]] void refuse(const Problem& problem, const Pool& pool, const SeenSlots& slots) {
  for (int slot = slots.first_slot;; ++slot)
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int column = 0; column < pool.columns; ++column) {
        const int64_t index = pool.index(problem, slots.page, slot, head, column);
        if (first_not_finite(pool.tensor, index, 1) < 0) continue;
        refuse_value(fmt::format("{} of request {}, token {} (page {}, slot {}), KV head {}, column {}",
                                 pool.name, slots.request, slots.first_token + slot - slots.first_slot,
                                 slots.page, slot, head, column),
                     pool.tensor, index);
      }
}

void check_pool(const Problem& problem, const Pool& pool, const std::vector<SeenSlots>& seen) {
  std::vector<uint8_t> wrong(seen.size()); // bytes, which threads may write side by side
  numerics::parallel_for(std::ssize(seen), [&](int64_t i) {
    wrong[static_cast<size_t>(i)] = !is_finite(problem, pool, seen[static_cast<size_t>(i)]);
  });
  const SeenSlots* first = nullptr; // by request, while `seen` is ordered by page
  const auto place = [](const SeenSlots& slots) { return std::pair(slots.request, slots.first_token); };
  for (size_t i = 0; i < seen.size(); ++i)
    if (wrong[i] && (first == nullptr || place(seen[i]) < place(*first))) first = &seen[i];
  if (first != nullptr) refuse(problem, pool, *first);
}

} // namespace

void check_query_values(const Problem& problem, const Tensors& tensors, const char* name,
                        const Tensor& tensor, const char* head_name) {
  const int64_t index = first_not_finite(tensor);
  if (index < 0) return;
  const int64_t columns = tensor.shape()[2], heads = tensor.shape()[1];
  const auto indptr = tensors.q_indptr.as<int32_t>();
  const int64_t row = index / columns / heads;
  const auto request = std::upper_bound(indptr.begin(), indptr.end(), row) - indptr.begin() - 1;
  const Request& lengths = problem.requests[static_cast<size_t>(request)];
  const int64_t query = row - indptr[static_cast<size_t>(request)];
  refuse_value(fmt::format("{} of request {}, query {} (token {}), {} {}, column {}", name, request, query,
                           lengths.key_length - lengths.query_length + query, head_name,
                           index / columns % heads, index % columns),
               tensor, index);
}

void check_pool_values(const Problem& problem, const Tensors& tensors, const char* k_name,
                       const char* v_name) {
  const std::vector<SeenSlots> seen = seen_slots(problem, tensors);
  check_pool(problem, {k_name, tensors.k_pool, problem.head_dim, k_index}, seen);
  check_pool(problem, {v_name, tensors.v_pool, problem.value_columns(), v_index}, seen);
}

} // namespace fmha950::operators
