// Into how many parts keys are split, and what each gets.
#include "attention/key_split.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace fmha950;
using namespace fmha950::attention;

namespace {

Work work_of(int first_tile, int end_tile) {
  Work work = {};
  work.item.first_tile = first_tile;
  work.item.end_tile = end_tile;
  return work;
}

std::vector<Work> same_work(int count, int tiles) {
  return std::vector<Work>(static_cast<size_t>(count), work_of(0, tiles));
}

} // namespace

TEST_CASE("keys are split where there are fewer work items than compute units, and no finer than is useful") {
  constexpr int fewest = 8;
  CHECK(key_parts({}, fewest) == 1);
  CHECK(key_parts(same_work(1, 7), fewest) == 1); // shorter than one part
  CHECK(key_parts(same_work(1, 15), fewest) == 1);
  CHECK(key_parts(same_work(1, 16), fewest) == 2);
  CHECK(key_parts(same_work(24, 16), fewest) == 2);                 // the seed's h=6:1 with 1k
  CHECK(key_parts(same_work(1, 1 << 20), fewest) == compute_units); // no more than occupy the GPU
  CHECK(key_parts(same_work(100, 1 << 20), fewest) == 3);
  CHECK(key_parts(same_work(compute_units - 1, 1 << 20), fewest) == 2);
  CHECK(key_parts(same_work(compute_units, 1 << 20), fewest) == 1);
  CHECK(key_parts({work_of(0, 1), work_of(90, 122), work_of(5, 5)}, fewest) == 4); // the longest counts
}

TEST_CASE("the parts of an item cover its tiles once, in order, as evenly as whole tiles can be") {
  const int first = GENERATE(0, 5, 1 << 20), tiles = GENERATE(0, 1, 2, 7, 8, 100, (1 << 25) + 3),
            parts = GENERATE(1, 2, 3, 8, 256);
  CAPTURE(first, tiles, parts);
  Work whole = work_of(first, first + tiles);
  whole.request = 3;
  whole.item.kv_head = 2;
  whole.item.first_row = 512;
  const auto split = split_keys({whole}, parts);
  REQUIRE(split.size() == static_cast<size_t>(parts));
  int next = first, shortest = tiles, longest = 0;
  for (int part = 0; part < parts; ++part) {
    const Work& piece = split[part];
    CHECK(piece.item.part == part);
    CHECK(piece.item.first_tile == next);
    next = piece.item.end_tile;
    shortest = std::min(shortest, next - piece.item.first_tile);
    longest = std::max(longest, next - piece.item.first_tile);
    CHECK((piece.request == 3 && piece.item.kv_head == 2 && piece.item.first_row == 512));
  }
  CHECK(next == first + tiles);
  CHECK(longest - shortest <= 1); // none where there are fewer tiles than parts
}

TEST_CASE("every item is split, also one without keys") {
  const auto split = split_keys({work_of(0, 16), work_of(3, 3), work_of(0, 1)}, 2);
  REQUIRE(split.size() == 6);
  CHECK(split[1].item.first_tile == 8);
  for (const int empty : {2, 3}) {
    CHECK(split[empty].item.part == empty % 2);
    CHECK((split[empty].item.first_tile == 3 && split[empty].item.end_tile == 3));
  }
  CHECK(split[4].item.end_tile - split[4].item.first_tile + split[5].item.end_tile -
            split[5].item.first_tile ==
        1);
}
