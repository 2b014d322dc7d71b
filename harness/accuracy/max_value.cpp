#include "harness/accuracy/max_value.hpp"

#include "emulator/numerics/threads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace fmha950::harness {

namespace {

using UsedSlots = std::vector<std::pair<int32_t, int>>; // page, slots

// Tokens that some request keeps in each page it names; shared pages count once.
UsedSlots used_slots(const Problem& problem, const Tensors& tensors) {
  std::map<int32_t, int> slots;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const int keys = problem.requests[static_cast<size_t>(r)].key_length;
    for (int first = 0; first < keys; first += problem.page_size) {
      int& used = slots[page_of(problem, tensors, r, first)];
      used = std::max(used, std::min(problem.page_size, keys - first));
    }
  }
  return {slots.begin(), slots.end()};
}

} // namespace

double max_value(const Problem& problem, const Tensors& tensors) {
  const Tensor& descale = tensors.v_descale;
  const bool per_page = problem.quantisation == Quantisation::kv_blockscale;
  const bool per_block = problem.quantisation == Quantisation::mx && descale.shape().size() == 4;
  const int64_t heads = problem.kv_heads, dim = problem.head_dim;
  const auto descale_at = [&](int64_t page, int slot, int64_t head, int64_t column) -> double {
    if (per_page) return descale.value(page * heads + head);
    if (per_block)
      return descale.value(((page * (problem.page_size / 32) + slot / 32) * heads + head) * dim + column);
    return descale.empty() ? 1 : descale.value(0);
  };
  const UsedSlots pages = used_slots(problem, tensors);
  std::vector<double> largest(pages.size(), 0); // of a page
  numerics::parallel_for(static_cast<int64_t>(pages.size()), [&](int64_t i) {
    const auto [page, slots] = pages[static_cast<size_t>(i)];
    double& of_page = largest[static_cast<size_t>(i)];
    for (int slot = 0; slot < slots; ++slot)
      for (int head = 0; head < problem.kv_heads; ++head)
        for (int column = 0; column < problem.head_dim; ++column) {
          const double value = tensors.v_pool.value(v_index(problem, page, slot, head, column));
          of_page = std::fmax(of_page, std::fabs(value * descale_at(page, slot, head, column)));
        }
  });
  return std::accumulate(largest.begin(), largest.end(), 0.0,
                         [](double a, double b) { return std::fmax(a, b); });
}

} // namespace fmha950::harness
