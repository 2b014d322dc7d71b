#include "workload/seen_slots.hpp"

#include "interface/operator.hpp"
#include "interface/visibility.hpp"

#include <algorithm>
#include <tuple>

namespace fmha950::workload {

namespace {

void add_tokens(const Problem& problem, const Tensors& tensors, int request, int first, int last,
                std::vector<SeenSlots>& slots) {
  for (int token = first; token < last;) {
    const int slot = token % problem.page_size;
    const int count = std::min(problem.page_size - slot, last - token);
    slots.push_back({page_of(problem, tensors, request, token), slot, slot + count, request, token});
    token += count;
  }
}

} // namespace

std::vector<SeenSlots> seen_slots(const Problem& problem, const Tensors& tensors) {
  std::vector<SeenSlots> slots;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    if (request.query_length == 0) continue;
    const int keys = old_tokens(problem, request);
    // Windows move on by one key from query to query, and the last query's reaches the last key.
    const Visibility first_query = visibility_of(problem, request, 0);
    const int begin = static_cast<int>(std::clamp<int64_t>(first_query.window_begin, 0, keys));
    const int sinks = static_cast<int>(std::min<int64_t>(first_query.sink_end, begin));
    add_tokens(problem, tensors, r, 0, sinks, slots);
    add_tokens(problem, tensors, r, begin, keys, slots);
  }
  const auto order = [](const SeenSlots& s) {
    return std::tuple(s.page, s.first_slot, -s.last_slot, s.request, s.first_token);
  };
  std::ranges::sort(slots, {}, order);
  std::vector<SeenSlots> kept;
  for (const SeenSlots& each : slots)
    if (kept.empty() || kept.back().page != each.page || kept.back().last_slot < each.last_slot)
      kept.push_back(each);
  return kept;
}

} // namespace fmha950::workload
