#include "attention/host/work_items.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace fmha950::attention {

namespace {

struct KeySpan { // [begin, end), empty when begin >= end
  int begin, end;
};

// Keys that any of the queries [first, last] of a request sees.
KeySpan seen_keys(const Request& request, MaskWindow window, int first, int last) {
  const int offset = request.key_length - request.query_length;
  return {std::max(0, offset + first - window.left),
          std::min(request.key_length - 1, offset + last + window.right) + 1};
}

} // namespace

MaskWindow mask_window(const Problem& problem) {
  constexpr int unlimited = 1 << 30; // sums with lengths stay inside int32
  if (problem.window)
    return {std::min(problem.window->left, unlimited), std::min(problem.window->right, unlimited)};
  return {unlimited, problem.causal ? 0 : unlimited};
}

std::vector<Work> make_work(const Problem& problem, std::span<const int32_t> table_begin, TileShape shape) {
  const int heads_per_kv_head = problem.heads_per_kv_head();
  const MaskWindow window = mask_window(problem);
  std::vector<Work> work;
  int query_begin = 0;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[r];
    const int rows = request.query_length * heads_per_kv_head;
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int first = 0; first < rows; first += shape.rows) {
        const KeySpan keys = seen_keys(request, window, first / heads_per_kv_head,
                                       (std::min(first + shape.rows, rows) - 1) / heads_per_kv_head);
        const int begin = keys.begin / shape.keys;
        const int end = (std::max(keys.end, 0) + shape.keys - 1) / shape.keys;
        work.push_back({{.query_begin = query_begin,
                         .query_length = request.query_length,
                         .key_length = request.key_length,
                         .table_begin = table_begin[r],
                         .kv_head = head,
                         .first_row = first,
                         .first_tile = begin,
                         .end_tile = std::max(begin, end),
                         .part = 0},
                        r});
      }
    query_begin += request.query_length;
  }
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    const auto order = [](const Work& w) {
      return std::tuple(w.item.first_tile - w.item.end_tile, w.request, w.item.kv_head, w.item.first_row);
    };
    return order(a) < order(b);
  });
  return work;
}

bool computes(const Work& work, const QueryRow& row, int heads_per_kv_head, TileShape shape) {
  return row.request == work.request && row.query * heads_per_kv_head < work.item.first_row + shape.rows &&
         (row.query + 1) * heads_per_kv_head > work.item.first_row;
}

std::vector<uint32_t> workgroups_of(const std::vector<Work>& work, const std::vector<QueryRow>& rows,
                                    int heads_per_kv_head, TileShape shape) {
  std::map<int, std::set<int>> queries; // of every request
  for (const QueryRow& row : rows) queries[row.request].insert(row.query);
  std::vector<uint32_t> workgroups;
  for (size_t i = 0; i < work.size(); ++i) {
    const auto of_request = queries.find(work[i].request);
    if (of_request == queries.end()) continue;
    const auto next = of_request->second.lower_bound(work[i].item.first_row / heads_per_kv_head);
    if (next != of_request->second.end() &&
        computes(work[i], {work[i].request, *next}, heads_per_kv_head, shape))
      workgroups.push_back(static_cast<uint32_t>(i));
  }
  return workgroups;
}

uint32_t relative_cost(const WorkItem& item, const Problem& problem, TileShape shape,
                       const ItemCosts& costs) {
  const int heads_per_kv_head = problem.heads_per_kv_head();
  const MaskWindow window = mask_window(problem);
  const int end_row = std::min(item.first_row + shape.rows, item.query_length * heads_per_kv_head);
  const int offset = item.key_length - item.query_length;
  const int first = offset + item.first_row / heads_per_kv_head,
            last = offset + (end_row - 1) / heads_per_kv_head;
  // The keys that every row sees, and the whole tiles of them.
  const int seen_begin = std::max(0, last - window.left),
            seen_end = std::min(item.key_length, first + window.right + 1);
  const int whole_begin = std::max(item.first_tile, (seen_begin + shape.keys - 1) / shape.keys);
  const int whole_end = std::min(item.end_tile, std::max(seen_end, 0) / shape.keys);
  const int tiles = item.end_tile - item.first_tile, masked = tiles - std::max(0, whole_end - whole_begin);
  const int waves = (end_row - item.first_row + rows_per_wave - 1) / rows_per_wave;
  const int of_rows = (costs.tile_rows * tiles + costs.rows) * waves * rows_per_wave / shape.rows;
  return static_cast<uint32_t>(costs.tile * tiles + costs.mask * masked + of_rows);
}

hip::Buffer upload_items(const std::vector<Work>& work) {
  std::vector<WorkItem> items;
  for (const Work& w : work) items.push_back(w.item);
  return hip::uploaded(items);
}

void check_row_numbers(const Problem& problem, std::string_view implementation) {
  constexpr int64_t most = int64_t(1) << 29; // masks add lengths to them
  const int64_t rows = int64_t(problem.max_query_length()) * problem.heads_per_kv_head();
  if (rows > most)
    throw InvalidInput("sq", fmt::format("{} queries times heads per KV head", rows),
                       fmt::format("{} takes at most {} per request", implementation, most));
}

} // namespace fmha950::attention
