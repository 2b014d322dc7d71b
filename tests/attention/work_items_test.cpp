// The grid of the attention kernels against plain enumerations.
#include "attention/host/work_items.hpp"
#include "interface/case_string.hpp"

#include "tests/support/catch.hpp"
#include <numeric>
#include <set>

using namespace fmha950;
using namespace fmha950::attention;

namespace {

std::vector<int32_t> table_begins(const Problem& problem) {
  std::vector<int32_t> begins(problem.requests.size());
  std::iota(begins.begin(), begins.end(), 7);
  return begins;
}

bool sees(const Problem& problem, const Request& request, int query, int key) { // DESIGN.md section 2
  const int a = request.key_length - request.query_length + query;
  if (problem.window) return a - problem.window->left <= key && key <= a + problem.window->right;
  return !problem.causal || key <= a;
}

} // namespace

TEST_CASE("work items cover every row of every request once, the longest first") {
  const TileShape shape = GENERATE(TileShape{256, 64}, TileShape{128, 32});
  const Problem problem = parse_case("batch_prefill/h=12:2/sq=100,0,1,43/sk=40,8,500,43/d=128/causal=1");
  const auto work = make_work(problem, table_begins(problem), shape);
  std::set<std::tuple<int, int, int>> rows; // token of q, KV head, row of the request
  int previous = 1 << 30;
  for (const Work& w : work) {
    CHECK(w.item.end_tile - w.item.first_tile <= previous);
    previous = w.item.end_tile - w.item.first_tile;
    CHECK(w.item.key_length == problem.requests[w.request].key_length);
    CHECK(w.item.table_begin == 7 + w.request);
    const int end = std::min(w.item.first_row + shape.rows, w.item.query_length * 6);
    for (int row = w.item.first_row; row < end; ++row)
      CHECK(rows.emplace(w.item.query_begin + row / 6, w.item.kv_head, row % 6).second);
  }
  CHECK(rows.size() == (100 + 1 + 43) * 2 * 6);
}

TEST_CASE("the key tiles of a work item are the fewest consecutive ones that hold every key its rows see") {
  const std::string text = GENERATE(
      as<std::string>(), "batch_prefill/h=6:2/sq=300,40/sk=300,900/d=128/causal=1",
      "batch_prefill/h=6:2/sq=200,90/sk=37,0/d=128/causal=1",
      "batch_prefill/h=6:2/sq=400,90/sk=700,80/d=128/window=70:3", "batch_prefill/h=6:2/sq=100/sk=700/d=128");
  const Problem problem = parse_case(text);
  const TileShape shape = {256, 64};
  for (const Work& w : make_work(problem, table_begins(problem), shape)) {
    const Request& request = problem.requests[w.request];
    std::set<int> tiles;
    for (int row = w.item.first_row; row < std::min(w.item.first_row + shape.rows, request.query_length * 3);
         ++row)
      for (int key = 0; key < request.key_length; ++key)
        if (sees(problem, request, row / 3, key)) tiles.insert(key / shape.keys);
    CHECK(w.item.end_tile - w.item.first_tile == (tiles.empty() ? 0 : *tiles.rbegin() - *tiles.begin() + 1));
    if (!tiles.empty()) CHECK(w.item.first_tile == *tiles.begin());
  }
}

TEST_CASE("what a work item takes is its tiles, those of them with a mask, and its waves that have rows") {
  const TileShape shape{256, 64};
  const std::string text = GENERATE(
      as<std::string>(), "batch_prefill/h=6:2/sq=300,40/sk=300,900/d=128/causal=1",
      "batch_prefill/h=6:2/sq=200,90/sk=37,0/d=128/causal=1",
      "batch_prefill/h=6:2/sq=400,90/sk=700,80/d=128/window=70:3", "batch_prefill/h=6:2/sq=100/sk=700/d=128");
  CAPTURE(text);
  const Problem problem = parse_case(text);
  for (const auto& [item, number] : make_work(problem, table_begins(problem), shape)) {
    const Request& request = problem.requests[static_cast<size_t>(number)];
    const int rows = std::min(256, request.query_length * 3 - item.first_row);
    const auto waves = static_cast<uint32_t>((rows + 31) / 32);
    const auto tiles = static_cast<uint32_t>(item.end_tile - item.first_tile);
    uint32_t expected = 150 * waves / 8;
    for (int tile = item.first_tile; tile < item.end_tile; ++tile) {
      bool whole = true;
      for (int key = tile * 64; key < (tile + 1) * 64; ++key)
        for (int row = item.first_row; row < item.first_row + rows; ++row)
          whole &= key < request.key_length && sees(problem, request, row / 3, key);
      expected += whole ? 100 : 130;
    }
    CAPTURE(item.first_row, item.first_tile, item.end_tile);
    CHECK(relative_cost(item, problem, shape) == expected);
    CHECK(relative_cost(item, problem, shape, {.tile_rows = 80, .rows = 0}) ==
          expected - 150 * waves / 8 + 10 * tiles * waves);
  }
}

TEST_CASE("a work item computes the rows that it covers") {
  const Problem problem = parse_case("batch_prefill/h=12:2/sq=100,45/sk=400,500/d=128");
  const TileShape shape = {256, 64};
  for (const Work& w : make_work(problem, table_begins(problem), shape))
    for (int request = 0; request < 2; ++request)
      for (int query = 0; query < problem.requests[request].query_length; ++query) {
        bool covered = false;
        for (int head = 0; head < 6; ++head) {
          const int row = query * 6 + head;
          covered |= w.request == request && row >= w.item.first_row && row < w.item.first_row + shape.rows;
        }
        CHECK(computes(w, {request, query}, 6, shape) == covered);
      }
}

TEST_CASE("the workgroups of some rows are those whose item computes one of them") {
  const Problem problem = parse_case("batch_prefill/h=12:2/sq=100,45,300/sk=400,500,600/d=128");
  const TileShape shape = GENERATE(TileShape{256, 64}, TileShape{2, 64});
  const auto work = make_work(problem, table_begins(problem), shape);
  const std::vector<QueryRow> rows =
      GENERATE(std::vector<QueryRow>{}, std::vector<QueryRow>{{2, 299}, {0, 43}, {2, 0}, {0, 42}, {0, 43}},
               std::vector<QueryRow>{{1, 44}, {1, 0}, {1, 43}});
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < work.size(); ++i)
    if (std::ranges::any_of(rows, [&](const QueryRow& row) { return computes(work[i], row, 6, shape); }))
      expected.push_back(i);
  CHECK(workgroups_of(work, rows, 6, shape) == expected);
  CHECK(expected.empty() == rows.empty());
}
