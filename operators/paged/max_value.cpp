#include "operators/paged/definition.hpp"
#include "workload/largest.hpp"

#include <algorithm>
#include <map>

namespace fmha950::operators {
namespace {

using UsedSlots = std::vector<std::pair<int32_t, int>>; // page, slots

// Tokens that some request keeps in each page it names, a chunk that is appended aside;
// shared pages count once.
UsedSlots used_slots(const Problem& problem, const Tensors& tensors) {
  std::map<int32_t, int> slots;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int keys = old_tokens(problem, request);
    for (int first = 0; first < keys; first += problem.page_size) {
      int& used = slots[page_of(problem, tensors, r, first)];
      used = std::max(used, std::min(problem.page_size, keys - first));
    }
  }
  return {slots.begin(), slots.end()};
}

} // namespace

double max_value_in_pages(const Problem& problem, const Tensors& tensors) {
  const Tensor& descale = tensors.v_descale;
  const bool per_page = problem.quantisation == Quantisation::page;
  const bool per_block = problem.quantisation == Quantisation::mx && descale.shape().size() == 4;
  const int64_t heads = problem.kv_heads, dim = problem.value_columns();
  const auto descale_at = [&](int64_t page, int slot, int64_t head, int64_t column) -> double {
    if (per_page) return descale.value(page * heads + head);
    if (per_block)
      return descale.value(((page * (problem.page_size / 32) + slot / 32) * heads + head) * dim + column);
    return descale.empty() ? 1 : descale.value(0);
  };
  const UsedSlots pages = used_slots(problem, tensors);
  return workload::largest_of(pages.size(), [&](size_t i) {
    const auto [page, slots] = pages[i];
    double of_page = 0;
    for (int slot = 0; slot < slots; ++slot)
      for (int head = 0; head < problem.kv_heads; ++head)
        for (int column = 0; column < problem.value_columns(); ++column) {
          const double value = tensors.v_pool.value(v_index(problem, page, slot, head, column));
          of_page = std::fmax(of_page, std::fabs(value * descale_at(page, slot, head, column)));
        }
    return of_page;
  });
}

} // namespace fmha950::operators
