// Case lists of one form of the cache or the mask each: that they hold what their names promise.
#include "harness/cases/case_selection.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"

#include "tests/harness/mask_counts.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <tuple>

using namespace fmha950;

namespace {

// Of a list of at least so many lines, each a valid problem that prints as it.
std::vector<Problem> problems_of_list(const std::string& name, size_t least) {
  const auto lines = harness::read_case_list(name);
  CHECK(lines.size() >= least);
  std::vector<Problem> problems;
  for (const std::string& line : lines) {
    INFO(line);
    problems.push_back(parse_case(line));
    CHECK(print_case(problems.back()) == line);
    CHECK_NOTHROW(validate_problem(problems.back()));
  }
  return problems;
}

} // namespace

TEST_CASE("layout-grid: every page size, type and head_dim of HND and of K and V in one pool") {
  std::set<std::tuple<KvLayout, bool, int>> pools; // interleaved, page size
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout, bool, int>> forms; // head_dim
  test::MaskCounts masks;
  size_t lru = 0, vllm = 0, heads = 0;
  for (const Problem& p : problems_of_list("layout-grid", 200)) {
    INFO(print_case(p));
    CHECK((p.kv_layout == KvLayout::hnd || p.interleaved));
    pools.emplace(p.kv_layout, p.interleaved, p.page_size);
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout, p.interleaved, p.head_dim);
    masks.add(p);
    lru += p.page_order == PageOrder::lru;
    vllm += p.page_table == PageTable::vllm;
    heads += p.kv_heads > 1; // with one head HND is LINEAR
  }
  CHECK(pools.size() == 4 * 8 - 1); // no VECTORIZED pages of one token
  CHECK(forms.size() >= 8 * 3 * 3);
  for (const size_t count : {masks.least(), lru, vllm}) CHECK(count >= 15);
  CHECK(heads >= 150);
}

TEST_CASE("mla-grid: every type, quantisation, layout and mask with 192 columns in Q and K") {
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout>> forms; // of Q, of K and V
  std::set<std::pair<int, int>> heads;
  std::set<int> pages;
  test::MaskCounts masks;
  size_t strided = 0, lru = 0, vllm = 0;
  for (const Problem& p : problems_of_list("mla-grid", 160)) {
    INFO(print_case(p));
    CHECK((p.head_dim == 192 && p.value_head_dim == 128));
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout);
    heads.emplace(p.query_heads, p.kv_heads);
    pages.insert(p.page_size);
    masks.add(p);
    strided += p.strided;
    lru += p.page_order == PageOrder::lru;
    vllm += p.page_table == PageTable::vllm;
  }
  CHECK(forms.size() >= 9 * 3);
  for (const auto& of_model : {std::pair(128, 128), {64, 4}, {64, 8}}) CHECK(heads.contains(of_model));
  for (const int page : {1, 16, 32, 48, 64, 128, 544, 1024}) CHECK(pages.contains(page));
  for (const size_t count : {masks.least(), strided, lru, vllm}) CHECK(count >= 12);
}

TEST_CASE(
    "mxfp4-grid: every page size with every table and mask, lengths around tiles and blocks of 32 keys") {
  std::set<std::tuple<int, PageTable, bool>> forms; // page size, causal
  std::set<int> places;                             // of the last key in its tile
  std::set<std::string> values;
  size_t grouped = 0, consecutive = 0, batch = 0, without_lse = 0, empty = 0, unused_blocks = 0;
  for (const Problem& p : problems_of_list("mxfp4-grid", 160)) {
    INFO(print_case(p));
    CHECK((p.kv_type == ElementType::mxfp4 && p.query_type == ElementType::fp8));
    forms.emplace(p.page_size, p.page_table, p.causal);
    values.insert(p.values);
    grouped += p.heads_per_kv_head() > 1 && p.kv_heads > 1;
    consecutive += !p.paged;
    batch += p.mode == BatchMode::batch;
    without_lse += !p.lse;
    for (const Request& request : p.requests) {
      empty += request.key_length == 0;
      if (request.key_length > 0) places.insert((request.key_length - 1) % 64);
      // 32 slots of a page that holds keys, whose scales of V are NaN
      unused_blocks +=
          request.key_length % p.page_size != 0 && p.page_size - request.key_length % p.page_size >= 32;
    }
  }
  CHECK(forms.size() == 4 * 2 * 2);
  CHECK(places.size() >= 20);
  for (const int place : {0, 15, 16, 30, 31, 32, 62, 63}) CHECK(places.contains(place));
  for (const char* kind : {"normal", "outlier", "uneven", "count", "negative_zero"})
    CHECK(values.contains(kind));
  for (const size_t count : {grouped, consecutive, without_lse, unused_blocks}) CHECK(count >= 15);
  CHECK(batch >= 5);
  CHECK(empty >= 3);
}

TEST_CASE("page-grid: every new page size in both layouts, 544 under every type and head_dim") {
  std::set<std::pair<int, KvLayout>> pages;
  std::set<std::tuple<ElementType, ElementType, Quantisation, KvLayout, int>> of_544; // head_dim
  for (const Problem& p : problems_of_list("page-grid", 200)) {
    pages.emplace(p.page_size, p.kv_layout);
    if (p.page_size == 544) of_544.emplace(p.query_type, p.kv_type, p.quantisation, p.kv_layout, p.head_dim);
  }
  CHECK(pages.size() == 2 * (64 - 5)); // 16, 32, 64, 128 and 1,024 were there before
  CHECK(of_544.size() >= 8 * 2 * 3);
}

TEST_CASE("tree-grid: trees of every form at every place of tiles, pages and windows") {
  std::set<std::tuple<ElementType, ElementType, Quantisation, int>> forms; // head_dim
  std::set<int> places, page_sizes; // of a tree's first key in its tile
  std::set<KvLayout> layouts;
  size_t verify = 0, prefill = 0, short_queries = 0, short_keys = 0, windows = 0, sinks = 0, two_tiles = 0,
         two_pages = 0, ragged = 0, packed = 0;
  for (const Problem& p : problems_of_list("tree-grid", 60)) {
    INFO(print_case(p));
    CHECK(p.tree_nodes > 0);
    forms.emplace(p.query_type, p.kv_type, p.quantisation, p.head_dim);
    page_sizes.insert(p.page_size);
    layouts.insert(p.kv_layout);
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    ragged += p.requests.size() > 2;
    for (const Request& request : p.requests) {
      const int nodes = p.tree_nodes_of(request), first = request.key_length - nodes;
      if (nodes == 0) continue;
      places.insert(first % 64);
      two_tiles += first / 64 != (request.key_length - 1) / 64;
      two_pages += first / p.page_size != (request.key_length - 1) / p.page_size;
      verify += request.query_length == p.tree_nodes;
      prefill += request.query_length > p.tree_nodes;
      short_queries += request.query_length < p.tree_nodes;
      short_keys += request.key_length < std::min(p.tree_nodes, request.query_length);
      packed += p.heads_per_kv_head() > 1 && nodes * p.heads_per_kv_head() > 128;
    }
  }
  CHECK(forms.size() == 2 * 3 + 4);
  CHECK(page_sizes == std::set<int>{1, 16, 32, 48, 64, 128, 544, 1024});
  CHECK(layouts.size() == 3);
  CHECK(places.size() >= 20);
  for (const size_t count : {verify, prefill, short_queries, windows, sinks, two_tiles, two_pages, packed})
    CHECK(count >= 10);
  CHECK(short_keys >= 1);
  CHECK(ragged >= 10);
}
