#include "harness/judge/visible_work.hpp"

#include "interface/operator.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

int64_t tiles_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Tiles with at least one key that is seen: those of the first keys, and those of the window.
int64_t tiles_seen(const Visibility& sees, int64_t size) {
  const int64_t of_sink = tiles_of(sees.sink_keys(), size);
  if (sees.window_keys() == 0) return of_sink;
  const int64_t first = std::max<int64_t>(0, sees.window_begin) / size;
  return of_sink + std::max<int64_t>(0, tiles_of(sees.end, size) - std::max(first, of_sink));
}

// Of `queries` queries from `start` on, whose keys have one owner.
int64_t tiles_of_owner(const Problem& problem, const Tensors& tensors, QueryRow start, int queries,
                       TileShape tile) {
  const Oracle& oracle = problem.op->oracle();
  const int64_t heads_per_kv_head = problem.heads_per_kv_head(), rows = queries * heads_per_kv_head;
  const auto visibility = [&](int64_t row) {
    return oracle.visibility(problem, tensors,
                             {start.request, start.query + static_cast<int>(row / heads_per_kv_head)});
  };
  int64_t tiles = 0;
  for (int64_t first = 0; first < rows; first += tile.rows) {
    const int64_t last = std::min(first + tile.rows, rows) - 1;
    // Begin and end of the window move on by at most a key from query to query: there is no gap between them.
    Visibility any = visibility(last);
    any.window_begin = visibility(first).window_begin;
    tiles += tiles_seen(any, tile.keys);
  }
  return tiles * problem.kv_heads;
}

// Of the products for a query and a key: the first has the columns of Q and K, the others those of V.
double columns_of_products(const Problem& problem) {
  return problem.head_dim + (problem.op->facts().products - 1) * problem.value_columns();
}

} // namespace

int64_t visible_pairs(const Problem& problem, const Tensors& tensors) {
  const Oracle& oracle = problem.op->oracle();
  int64_t pairs = 0;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r)
    for (int q = 0; q < problem.requests[static_cast<size_t>(r)].query_length; ++q)
      pairs += oracle.visibility(problem, tensors, {r, q}).seen_keys();
  return pairs;
}

double flops_of_pairs(const Problem& problem, double pairs) {
  return 2 * pairs * columns_of_products(problem) * problem.query_heads;
}

double attention_flops(const Problem& problem, const Tensors& tensors) {
  return flops_of_pairs(problem, static_cast<double>(visible_pairs(problem, tensors)));
}

int64_t visible_tiles(const Problem& problem, const Tensors& tensors, TileShape tile) {
  int64_t tiles = 0;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int queries = problem.op->queries_of_owner(request);
    for (int q = 0; q < request.query_length; q += queries)
      tiles += tiles_of_owner(problem, tensors, {r, q}, queries, tile);
  }
  return tiles;
}

double visible_tile_flops(const Problem& problem, const Tensors& tensors, TileShape tile) {
  return 2.0 * static_cast<double>(visible_tiles(problem, tensors, tile)) * tile.rows * tile.keys *
         columns_of_products(problem);
}

} // namespace fmha950::harness
