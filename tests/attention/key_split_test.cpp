// Into how many parts keys are split, and what each gets.
#include "attention/host/cost_estimate.hpp"
#include "attention/host/key_split.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

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

// As those of a kernel: a start takes as long as two tiles, and so does a second launch, which has 18 clocks for each part.
double time_of(const std::vector<Work>& work) {
  constexpr KernelCosts costs{
      .shape = {256, 64}, .start = {3880, 3880}, .tile = {1940, 1940}, .energy = {0, 0}};
  const bool split = std::ranges::any_of(work, [](const Work& w) { return w.item.part > 0; });
  return launch_seconds(work, 1, costs) +
         (split ? launch_seconds(18.0 * static_cast<double>(work.size())) : 0);
}

} // namespace

TEST_CASE("keys are split where that takes less time, and no finer than is useful") {
  constexpr int fewest = 4;
  CHECK(tiles_of_a_part({}, fewest, time_of) == 1);
  CHECK(tiles_of_a_part(same_work(1, 7), fewest, time_of) == 7); // too short for two parts
  CHECK(tiles_of_a_part(same_work(1, 8), fewest, time_of) == 4);
  CHECK(tiles_of_a_part(same_work(1, 8), 5, time_of) == 8);
  CHECK(tiles_of_a_part(same_work(1, 1 << 20), fewest, time_of) ==
        (1 << 20) / compute_units); // all of them at once
  CHECK(tiles_of_a_part(same_work(100, 1000), fewest, time_of) ==
        200); // 500 workgroups in two rounds: not 500 in one
  CHECK(tiles_of_a_part(same_work(compute_units, 1000), fewest, time_of) == 1000); // all are busy as it is
  CHECK(tiles_of_a_part(same_work(4 * compute_units, 1000), fewest, time_of) == 1000);
  // One of many is long: the others are too short to split.
  std::vector<Work> one_long = same_work(compute_units, 1);
  one_long.push_back(work_of(90, 190));
  const int tiles = tiles_of_a_part(one_long, fewest, time_of);
  CHECK((tiles >= fewest && tiles < 20));
}

TEST_CASE("the parts of an item cover its tiles once, in order, as evenly as whole tiles can be") {
  const int first = GENERATE(0, 5, 1 << 20), tiles = GENERATE(0, 1, 2, 7, 8, 100, 1000003),
            most = GENERATE(1, 2, 3, 8, 1 << 25);
  CAPTURE(first, tiles, most);
  Work whole = work_of(first, first + tiles);
  whole.request = 3;
  whole.item.kv_head = 2;
  whole.item.first_row = 512;
  const auto split = split_keys({whole}, most);
  REQUIRE(split.size() == static_cast<size_t>(std::max(1, (tiles + most - 1) / most)));
  int next = first, shortest = tiles, longest = 0;
  for (size_t part = 0; part < split.size(); ++part) {
    const Work& piece = split[part];
    const bool right = piece.item.part == static_cast<int>(part) && piece.item.first_tile == next &&
                       piece.request == 3 && piece.item.kv_head == 2 && piece.item.first_row == 512;
    if (!right) FAIL("part " << part);
    next = piece.item.end_tile;
    shortest = std::min(shortest, next - piece.item.first_tile);
    longest = std::max(longest, next - piece.item.first_tile);
  }
  CHECK(next == first + tiles);
  CHECK(longest - shortest <= 1);
  CHECK(longest <= most);
}

TEST_CASE("items are split by their own lengths, and one without keys stays") {
  const auto split = split_keys({work_of(0, 16), work_of(3, 3), work_of(0, 1)}, 8);
  REQUIRE(split.size() == 4);
  CHECK((split[0].item.end_tile == 8 && split[1].item.first_tile == 8));
  CHECK((split[2].item.first_tile == 3 && split[2].item.end_tile == 3));
  CHECK((split[3].item.part == 0 && split[3].item.end_tile == 1));
}

namespace {

Work of_request(int request, int kv_head, int tiles) {
  Work work = work_of(0, tiles);
  work.request = request;
  work.item.kv_head = kv_head;
  return work;
}

std::vector<int> tiles_of_request(const std::vector<Work>& work, int request) {
  std::vector<int> tiles;
  for (const Work& w : work)
    if (w.request == request) tiles.push_back(w.item.end_tile - w.item.first_tile);
  return tiles;
}

} // namespace

TEST_CASE("a batch is split as a whole or not at all") {
  const SplitWork split = split_for_batch({work_of(0, 64), work_of(0, 2)}, 4, time_of);
  CHECK(split.whole.empty());
  CHECK(split.parts.size() == 64 / 4 + 1); // also the one of a single part is joined
  CHECK(split_for_batch({work_of(0, 7)}, 4, time_of).parts.empty());
  CHECK(split_for_batch({work_of(0, 7)}, 4, time_of).whole.size() == 1);
  CHECK((split_for_batch({}, 4, time_of).whole.empty() && split_for_batch({}, 4, time_of).parts.empty()));
}

TEST_CASE("split by request: what becomes of a request does not depend on the others, nor on their order") {
  const int others = GENERATE(0, 1, 40, 2000);
  const bool first = GENERATE(false, true);
  CAPTURE(others, first);
  std::vector<Work> work;
  const auto add_own = [&] {
    for (int head = 0; head < 2; ++head) work.push_back(of_request(5000, head, 70));
    work.push_back(of_request(5001, 0, 31));
  };
  if (first) add_own();
  for (int i = 0; i < others; ++i) work.push_back(of_request(i, 0, 1 + i * 37 % 400));
  if (!first) add_own();
  const SplitWork split = split_by_request(work, 16, time_of);
  CHECK(tiles_of_request(split.parts, 5000) == std::vector{17, 18, 17, 18, 17, 18, 17, 18});
  CHECK(tiles_of_request(split.whole, 5000).empty());
  CHECK(tiles_of_request(split.whole, 5001) == std::vector{31}); // too short for two parts of 16
  CHECK(tiles_of_request(split.parts, 5001).empty());
  // Split for the batch it does depend on them.
  if (others == 2000) CHECK(split_for_batch(work, 16, time_of).parts.empty());
}
