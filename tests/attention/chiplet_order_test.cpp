// The order of a grid whose workgroup n runs on chiplet n mod 8.
#include "attention/host/chiplet_order.hpp"
#include "attention/host/key_split.hpp"
#include "interface/case_string.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

using namespace fmha950;
using namespace fmha950::attention;

namespace {

std::vector<Work> work_of(const std::string& text, int tiles_of_a_part = INT32_MAX / 2) {
  const Problem problem = parse_case("batch_prefill/d=128/" + text);
  const std::vector<int32_t> begins(problem.requests.size());
  return split_keys(make_work(problem, begins, {256, 64}), tiles_of_a_part);
}

int tiles_of(const Work& work) { return work.item.end_tile - work.item.first_tile; }

auto identity(const Work& work) {
  return std::tuple(work.request, work.item.kv_head, work.item.first_row, work.item.part,
                    work.item.first_tile, work.item.end_tile);
}

// Chiplets on which the tiles of each request and KV head run.
std::map<std::pair<int, int>, std::set<size_t>> chiplets_of_keys(const std::vector<Work>& ordered) {
  std::map<std::pair<int, int>, std::set<size_t>> on;
  for (size_t n = 0; n < ordered.size(); ++n)
    on[{ordered[n].request, ordered[n].item.kv_head}].insert(n % chiplets);
  return on;
}

size_t most_chiplets(const std::vector<Work>& ordered) {
  size_t most = 0;
  for (const auto& [keys, on] : chiplets_of_keys(ordered)) most = std::max(most, on.size());
  return most;
}

const std::vector<std::vector<Work>>& samples() {
  static const std::vector<std::vector<Work>> all = {
      {},
      work_of("h=6:1/sq=1/sk=1"),
      work_of("h=6:1/sq=1024/sk=1024/causal=1"),
      work_of("h=6:1/sq=1024/sk=1024/causal=1", 8),
      work_of("h=6:1/sq=16384/sk=16384/causal=1"),
      work_of("h=64:8/sq=4096/sk=4096/causal=1"),
      work_of("h=40:40/sq=1000/sk=1000"),
      work_of("h=9:9/sq=4096/sk=4096/causal=1"), // one KV head more than chiplets
      work_of("h=32:4/b=3/sq=2000/sk=2000/causal=1"),
      // One long beside many short requests, empty ones, and queries without keys.
      work_of("h=8:1/sq=10,4000,20,3000,8,0,8/sk=300,4000,5000,20000,9,9,0/causal=1"),
      work_of("h=8:2/sq=1,1,1,1,1,1,1,1,1/sk=100000,64,64,64,64,64,64,64,64"),
  };
  return all;
}

} // namespace

TEST_CASE("every work item has one place in the grid, the same in every run") {
  for (const auto& work : samples()) {
    std::set<decltype(identity(work[0]))> before, after;
    const auto ordered = order_for_chiplets(work);
    for (const Work& item : work) before.insert(identity(item));
    for (const Work& item : ordered) CHECK(after.insert(identity(item)).second);
    CHECK(before == after);
    // Nor does it matter in which order they came.
    const auto again = order_for_chiplets({work.rbegin(), work.rend()});
    CHECK(std::ranges::equal(ordered, again, {}, identity, identity));
  }
}

TEST_CASE("a chiplet gets its longest tiles first") {
  for (const auto& work : samples()) {
    std::array<int, chiplets> previous;
    previous.fill(1 << 30);
    const auto ordered = order_for_chiplets(work);
    for (size_t n = 0; n < ordered.size(); ++n) {
      CHECK(tiles_of(ordered[n]) <= previous[n % chiplets]);
      previous[n % chiplets] = tiles_of(ordered[n]);
    }
  }
}

TEST_CASE("no chiplet has more than the longest tile beyond any other") {
  for (const auto& work : samples()) {
    const auto ordered = order_for_chiplets(work);
    std::array<int64_t, chiplets> load = {};
    int longest = 0;
    for (size_t n = 0; n < ordered.size(); ++n) {
      load[n % chiplets] += tiles_of(ordered[n]);
      longest = std::max(longest, tiles_of(ordered[n]));
    }
    const auto [least, most] = std::ranges::minmax(load);
    // Starting a workgroup counts as two tiles: chiplets may differ by one of those.
    CHECK(most - least <= longest + 4);
  }
}

TEST_CASE("tiles that share keys run on one chiplet where KV heads go round evenly") {
  const std::string text =
      GENERATE(as<std::string>(), "h=64:8/sq=4096/sk=4096/causal=1", "h=64:8/sq=4096/sk=4096",
               "h=40:40/sq=1000/sk=1000/causal=1", "h=16:4/b=2/sq=700/sk=900");
  CAPTURE(text);
  CHECK(most_chiplets(order_for_chiplets(work_of(text))) == 1);
}

TEST_CASE("the parts of a key split stay with the tiles that share their keys") {
  CHECK(most_chiplets(order_for_chiplets(work_of("h=16:8/sq=300/sk=4096", 22))) == 1);
}

TEST_CASE("keys that are more than a chiplet's share are spread over as many chiplets as that takes") {
  const auto spread = [](const std::string& text) {
    return most_chiplets(order_for_chiplets(work_of(text)));
  };
  CHECK(spread("h=8:1/sq=4096/sk=4096") == 8);
  CHECK(spread("h=8:2/sq=4096/sk=4096") == 4);
  CHECK(spread("h=8:4/sq=4096/sk=4096/causal=1") == 2);
}
