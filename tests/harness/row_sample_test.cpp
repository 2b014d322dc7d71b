#include "harness/judge/row_sample.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Problem ragged() {
  Problem problem;
  problem.requests = {{100, 400}, {0, 50}, {1, 9000}, {333, 333}};
  return problem;
}

bool in_order(const std::vector<QueryRow>& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const QueryRow& a, const QueryRow& b) {
    return std::pair(a.request, a.query) < std::pair(b.request, b.query);
  });
}

} // namespace

TEST_CASE("all rows of a ragged batch, requests without queries left out") {
  const auto rows = all_rows(ragged());
  CHECK(rows.size() == 434);
  CHECK(in_order(rows));
  CHECK(rows[100] == QueryRow{2, 0});
}

TEST_CASE("a sample has the last row of each request, the first of all, the right size and no row twice") {
  const auto rows = all_rows(ragged());
  CHECK(sample_rows(rows, 2, 5) == std::vector{QueryRow{0, 99}, rows.back()}); // of some requests
  for (const size_t count : {4u, 5u, 17u, 433u}) {
    const auto sample = sample_rows(rows, count, 5);
    CHECK(sample.size() == count);
    CHECK(in_order(sample));
    CHECK(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
    CHECK(sample.front() == (count == 4 ? QueryRow{0, 99} : rows.front()));
    CHECK(std::ranges::count(sample, QueryRow{0, 99}) == 1);
    CHECK(sample.back() == rows.back());
  }
  CHECK(sample_rows(rows, 1000, 5) == rows);
  CHECK(sample_rows({}, 10, 5).empty());
}

TEST_CASE("a sample is the same for the same seed and another for another") {
  const auto rows = all_rows(ragged());
  CHECK(sample_rows(rows, 20, 5) == sample_rows(rows, 20, 5));
  CHECK(sample_rows(rows, 20, 5) != sample_rows(rows, 20, 6));
}

TEST_CASE("sampled tiles are whole, do not cross requests and hold the last of each, long ones first") {
  const Problem problem = ragged();
  using Tiles = std::set<std::pair<int, int>>;
  const auto tiles_in = [](const std::vector<QueryRow>& rows) {
    Tiles tiles;
    for (const QueryRow& row : rows) tiles.insert({row.request, row.query / 64});
    return tiles;
  };
  CHECK(tiles_of(problem, 64) == 2 + 0 + 1 + 6);
  CHECK(tiles_in(sample_tiles(problem, 64, 1)) == Tiles{{2, 0}});
  CHECK(tiles_in(sample_tiles(problem, 64, 2)) == Tiles{{0, 1}, {2, 0}});
  CHECK(tiles_in(sample_tiles(problem, 64, 3)) == Tiles{{0, 1}, {2, 0}, {3, 5}});
  const auto rows = sample_tiles(problem, 64, 6);
  CHECK(in_order(rows));
  const Tiles tiles = tiles_in(rows);
  CHECK(tiles.size() == 6);
  CHECK(tiles.contains({0, 0})); // the first of the others
  size_t expected = 0;
  for (const auto& [request, tile] : tiles)
    expected += static_cast<size_t>(
        std::min(64, problem.requests[static_cast<size_t>(request)].query_length - 64 * tile));
  CHECK(rows.size() == expected);
  CHECK(sample_tiles(problem, 64, 100) == all_rows(problem));
}
