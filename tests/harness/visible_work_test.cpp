// What the mask lets be seen, counted by scalar loops over every pair of a row and a key. The rule is written
// out here once more: DESIGN.md section 2, not interface/visibility.hpp.
#include "harness/judge/visible_work.hpp"
#include "interface/case_string.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <set>
#include <tuple>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

bool sees(const Problem& p, const Request& request, int query, int key) {
  const int64_t aligned = request.key_length - request.query_length + query;
  if (p.causal && key > aligned) return false;
  if (!p.window) return true;
  if (key > aligned + p.window->right) return false;
  return key >= aligned - p.window->left || key < p.sink_tokens;
}

struct Counted {
  int64_t pairs = 0, tiles = 0;
};

Counted count(const Problem& p, TileShape tile) {
  const int heads = p.heads_per_kv_head();
  Counted counted;
  for (const Request& request : p.requests) {
    std::set<std::pair<int, int>> tiles;
    for (int query = 0; query < request.query_length; ++query)
      for (int key = 0; key < request.key_length; ++key) {
        if (!sees(p, request, query, key)) continue;
        ++counted.pairs;
        for (int head = 0; head < heads; ++head)
          tiles.insert({(query * heads + head) / tile.rows, key / tile.keys});
      }
    counted.tiles += static_cast<int64_t>(tiles.size()) * p.kv_heads;
  }
  return counted;
}

} // namespace

TEST_CASE("visible pairs and tiles of every mask are those that loops count") {
  const std::string lengths =
      GENERATE(as<std::string>(), "sq=1/sk=1", "sq=9/sk=70", "sq=70/sk=9", "sq=33/sk=33", "sq=5/sk=0",
               "sq=0/sk=5", "sq=40,0,7,64,3,90/sk=40,12,200,64,0,17");
  const std::string mask =
      GENERATE(as<std::string>(), "", "/causal=1", "/window=0:0", "/window=5:0", "/window=0:7", "/window=3:4",
               "/window=100:100", "/window=2147483647:2147483647", "/window=5:0/causal=1",
               "/window=5:0/causal=1/sink=3", "/window=6:2/sink=20", "/window=0:0/sink=1000",
               "/window=17:0/causal=1/sink=4", "/causal=1/sink=4");
  for (const char* heads : {"h=1:1", "h=6:2", "h=5:1", "h=5:1/d=192:128"}) {
    const Problem p = parse_case(std::string("batch_prefill/") + heads + "/" + lengths + mask);
    CAPTURE(print_case(p));
    for (const TileShape tile : {TileShape{1, 1}, {16, 16}, {4, 32}, {256, 64}, {7, 5}}) {
      const Counted expected = count(p, tile);
      CAPTURE(tile.rows, tile.keys);
      CHECK(visible_pairs(p, {}) == expected.pairs);
      CHECK(visible_tiles(p, {}, tile) == expected.tiles);
      const double columns = p.value_head_dim ? 192 + 128 : 2 * 128; // of Q and K, and of P and V
      CHECK(attention_flops(p, {}) == 2.0 * static_cast<double>(expected.pairs) * columns * p.query_heads);
      CHECK(visible_tile_flops(p, {}, tile) ==
            2.0 * static_cast<double>(expected.tiles) * tile.rows * tile.keys * columns);
    }
  }
}

TEST_CASE("visible pairs of trees are those that loops count, and tiles those of the causal mask") {
  for (const char* mask : {"/causal=1", "/causal=1/window=9:0", "/causal=1/window=5:0/sink=3"})
    for (const char* lengths : {"sq=9/sk=70", "sq=70/sk=9", "sq=40,0,7,64,3,90/sk=40,12,200,64,0,117"}) {
      const std::string causal = std::string("batch_prefill/h=6:2/") + lengths + mask;
      const Problem p = parse_case(causal + "/tree=33");
      CAPTURE(print_case(p));
      const Tensors tensors = workload::make_tensors(p);
      int64_t pairs = 0, hidden = 0, row = 0;
      for (const Request& request : p.requests) {
        const int nodes = std::min({33, request.query_length, request.key_length});
        for (int query = 0; query < request.query_length; ++query, ++row)
          for (int key = 0; key < request.key_length; ++key) {
            if (!sees(p, request, query, key)) continue;
            const int node = query - request.query_length + nodes, other = key - request.key_length + nodes;
            const auto word = static_cast<uint32_t>(
                other < 0 ? 0 : tensors.tree_mask.as<int32_t>()[static_cast<size_t>(2 * row + other / 32)]);
            const bool shown = node < 0 || other < 0 || (word >> other % 32 & 1) != 0;
            ++(shown ? pairs : hidden);
          }
      }
      CHECK(hidden > 0);
      CHECK(visible_pairs(p, tensors) == pairs);
      CHECK(visible_tiles(p, tensors, {16, 16}) == visible_tiles(parse_case(causal), {}, {16, 16}));
    }
}

TEST_CASE("visible pairs and tiles of append_prefill: old tokens and the chunk up to the row's own") {
  for (const char* keys : {"h=4:2/sq=30,7/sk=70,7/causal=1", "h=3:1/sq=9,0,4/sk=60,20,4"}) {
    const Problem p = parse_case(std::string("append_prefill/") + keys);
    const Counted expected = count(p, {16, 16});
    CHECK(visible_pairs(p, {}) == expected.pairs);
    CHECK(visible_tiles(p, {}, {16, 16}) == expected.tiles);
  }
}

TEST_CASE("visible pairs and tiles of sparse_prefill are those of the rows that its tokens list") {
  const Problem p =
      parse_case("sparse_prefill/h=48/n=4/pool=100/chunk=90/scale=1/prefix=1,0,65,0/extend=2,33,0,0");
  const Tensors tensors = workload::make_tensors(p);
  CHECK(visible_pairs(p, tensors) == 3 + 33 + 65);
  CHECK(attention_flops(p, tensors) == 4.0 * (3 + 33 + 65) * 512 * 48);
  CHECK(visible_tiles(p, tensors, {32, 32}) == 2 * (1 + 2 + 3));
  CHECK(visible_tile_flops(p, tensors, {32, 32}) == 4.0 * 2 * 6 * 32 * 32 * 512);
}

TEST_CASE("full masks count as always, and a window by what is in it") {
  Problem p = parse_case("batch_prefill/h=64:8/sq=16384/sk=16384/d=128");
  CHECK(attention_flops(p, {}) == 4.0 * 16384 * 16384 * 128 * 64);
  CHECK(visible_tile_flops(p, {}, {256, 64}) == attention_flops(p, {}));
  p.causal = true;
  CHECK(attention_flops(p, {}) == 4.0 * (16384.0 * 16385 / 2) * 128 * 64);
  p.window = Window{63, 0};
  CHECK(attention_flops(p, {}) == 4.0 * (64.0 * 16384 - 64 * 63 / 2) * 128 * 64);
}

TEST_CASE("the count of a million rows by a billion keys does not overflow") {
  const Problem p = parse_case("batch_prefill/h=1:1/sq=1000000/sk=1000000000/d=128/causal=1");
  CHECK(visible_pairs(p, {}) == 1000000LL * 1000000000 - 999999LL * 1000000 / 2);
  CHECK(visible_tiles(p, {}, {1000000, 1}) == 1000000000);
}

TEST_CASE("what one row sees: by its mask, or by its lists") {
  const Problem p = parse_case("batch_prefill/h=1:1/sq=4/sk=10/window=2:0/causal=1/sink=1");
  CHECK(oracle().visibility(p, {}, {0, 3}).seen_keys() == 4);
  const Problem sparse = parse_case("sparse_prefill/h=16/n=2/pool=9/chunk=9/scale=1/prefix=1,3/extend=2,5");
  CHECK(oracle().visibility(sparse, workload::make_tensors(sparse), {0, 1}).end == 8);
}

TEST_CASE("a part and a row of merge are one product, where attention has two") {
  const Problem merged = parse_case("merge/parts=3/h=2/n=5/d=16");
  CHECK(attention_flops(merged, workload::make_tensors(merged)) == 2.0 * 3 * 2 * 5 * 16);
  CHECK(visible_tile_flops(merged, workload::make_tensors(merged), {1, 4}) == 2.0 * 4 * 2 * 5 * 16);
  const Problem attended = parse_case("batch_prefill/h=2:2/sq=5/sk=3/d=64");
  CHECK(attention_flops(attended, workload::make_tensors(attended)) == 4.0 * 3 * 2 * 5 * 64);
}
