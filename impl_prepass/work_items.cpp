#include "impl_prepass/work_items.hpp"

#include <algorithm>
#include <tuple>

namespace fmha950::prepass {

MaskWindow mask_window(const Problem& problem) {
  constexpr int unlimited = 1 << 30; // sums with lengths stay inside int32
  if (problem.window)
    return {std::min(problem.window->left, unlimited), std::min(problem.window->right, unlimited)};
  return {unlimited, problem.causal ? 0 : unlimited};
}

std::vector<Work> make_work(const Problem& problem, const KvSlots& slots) {
  const int group = problem.query_heads / problem.kv_heads;
  const MaskWindow window = mask_window(problem);
  std::vector<Work> work;
  int query_begin = 0;
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    const auto [query_length, key_length] = problem.requests[request];
    const int rows = query_length * group;
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int first = 0; first < rows; first += rows_per_tile) {
        const int last_query = (std::min(first + rows_per_tile, rows) - 1) / group;
        const int last_key = std::min(key_length - 1, key_length - query_length + last_query + window.right);
        work.push_back({{.query_begin = query_begin,
                         .query_length = query_length,
                         .key_length = key_length,
                         .slot_begin = slots.begin[request],
                         .kv_head = head,
                         .first_row = first,
                         .reserved = {}},
                        request,
                        std::max(0, last_key + 1)});
      }
    query_begin += query_length;
  }
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    const auto order = [](const Work& w) {
      return std::tuple(-w.visible_keys, w.request, w.item.kv_head, w.item.first_row);
    };
    return order(a) < order(b);
  });
  return work;
}

} // namespace fmha950::prepass
