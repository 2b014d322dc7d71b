// What a finding says to somebody who writes kernels.
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"
#include "synthetic_audit.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

Finding finding(PartKind kind, int first_key, int last_key, double share, double sigma = 0.01) {
  Finding one;
  one.place = {.kind = kind, .request = 0, .kv_head = 1, .first_key = first_key, .last_key = last_key};
  one.share = share;
  one.sigma = sigma;
  return one;
}

std::string text_of_page(Finding one, int64_t page = -1) {
  Problem problem;
  problem.requests = {{1, 65536}};
  one.place.page = page;
  return describe(problem, one);
}

std::string text_of_edge(Edge edge, double share, double sigma) {
  Finding one = finding(PartKind::edge, 0, 65536, share, sigma);
  one.place.column = static_cast<int>(edge);
  return text_of_page(one);
}

} // namespace

TEST_CASE("finding: V of a tile in a page") {
  CHECK(text_of_page(finding(PartKind::tile, 6400, 6464, 0.1), 412) ==
        "keys 6400-6463 (page 412 of request 0, KV head 1): V weighs 1.10 +- 0.01 of what it should");
  CHECK(text_of_page(finding(PartKind::tile, 6400, 6464, -1, 0.0123)) ==
        "keys 6400-6463 (request 0, KV head 1): V weighs 0.00 +- 0.01 of what it should");
  // As many digits as the uncertainty leaves.
  CHECK(text_of_page(finding(PartKind::tile, 0, 64, 0.1, 0.00034)) ==
        "keys 0-63 (request 0, KV head 1): V weighs 1.1000 +- 0.0003 of what it should");
}

TEST_CASE("finding: a key that is missing, or counted twice") {
  CHECK(text_of_page(finding(PartKind::key, 65535, 65536, -1)) ==
        "key 65535, the last one (request 0, KV head 1): missing");
  CHECK(text_of_page(finding(PartKind::key, 7, 8, -1.02)) == "key 7 (request 0, KV head 1): missing");
  CHECK(text_of_page(finding(PartKind::key, 7, 8, 1)) ==
        "key 7 (request 0, KV head 1): V weighs 2.00 +- 0.01 of what it should");
  CHECK(text_of_page(finding(PartKind::key, 7, 8, -0.5)) ==
        "key 7 (request 0, KV head 1): V weighs 0.50 +- 0.01 of what it should");
  // Who is not sure does not say so.
  CHECK(text_of_page(finding(PartKind::key, 7, 8, -1, 0.2)) ==
        "key 7 (request 0, KV head 1): V weighs 0.00 +- 0.20 of what it should");
  Finding of_lse = finding(PartKind::key, 7, 8, -1);
  of_lse.of_lse = true;
  CHECK(text_of_page(of_lse) == "key 7 (request 0, KV head 1): missing in the LSE");
}

TEST_CASE("finding: edges of the mask") {
  CHECK(text_of_edge(Edge::last_visible, -1, 0.01) ==
        "the last visible key of each row (request 0, KV head 1): missing");
  CHECK(
      text_of_edge(Edge::behind_last, 0.98, 0.01) ==
      "the first hidden key behind each row's last (request 0, KV head 1): seen, 0.98 +- 0.01 of its weight");
  CHECK(text_of_edge(Edge::first_of_window, -1, 0.01).starts_with("the first key of each row's window ("));
  CHECK(text_of_edge(Edge::before_window, 1, 0.01).starts_with("the hidden key before each row's window ("));
  CHECK(text_of_edge(Edge::last_sink, -1, 0.01).starts_with("the last sink token ("));
  CHECK(text_of_edge(Edge::behind_sinks, 1, 0.01).starts_with("the hidden key behind the sink tokens ("));
}

TEST_CASE("finding: scores") {
  CHECK(text_of_page(finding(PartKind::tile_scores, 8192, 8256, 0.03)) ==
        "keys 8192-8255 (request 0, KV head 1): scores 1.03 +- 0.01 times what they should be");
  CHECK(text_of_page(finding(PartKind::all_scores, 0, 65536, -0.01, 0.001)) ==
        "all keys (request 0, KV head 1): scores 0.990 +- 0.001 times what they should be");
  Finding block = finding(PartKind::block_scores, 64, 128, 1, 0.1);
  block.place.column = 2;
  CHECK(text_of_page(block) == "keys 64-127, columns 64-95 of K (request 0, KV head 1): scores 2.00 +- 0.10 "
                               "times what they should be");
}

TEST_CASE("finding: what the LSE says, and blocks of V") {
  Finding tile = finding(PartKind::tile, 64, 128, 0.5);
  tile.of_lse = true;
  CHECK(text_of_page(tile) ==
        "keys 64-127 (request 0, KV head 1): weighs 1.50 +- 0.01 of what it should in the LSE");
  Finding block = finding(PartKind::block_values, 64, 96, 1);
  block.place.column = 17;
  CHECK(text_of_page(block, 3) == "keys 64-95, column 17 (page 3 of request 0, KV head 1): V weighs 2.00 +- "
                                  "0.01 of what it should");
}

TEST_CASE("finding: what is of several requests") {
  Finding all = finding(PartKind::all_values, 0, 0, 0.02, 0.001);
  all.place.request = -1;
  CHECK(text_of_page(all) == "all keys (all requests, KV head 1): V weighs 1.020 +- 0.001 of what it should");
  Finding page = finding(PartKind::page, 0, 0, 0.1);
  page.place.request = -1;
  CHECK(text_of_page(page, 412) ==
        "page 412 (all requests that name it, KV head 1): V weighs 1.10 +- 0.01 of what it should");
}

TEST_CASE("finding: rows in the lists of sparse_prefill") {
  Problem problem;
  problem.op = sparse_prefill;
  problem.own.emplace<SparseLists>();
  sparse_lists(problem)->pool_rows = 100;
  const auto text = [&](PartKind kind, int first, int last, int64_t row, int token = 5) {
    Finding one = finding(kind, first, last, 0.5);
    one.place.request = token;
    one.place.row = row;
    return describe(problem, one);
  };
  const std::string half_more = "V weighs 1.50 +- 0.01 of what it should";
  CHECK(text(PartKind::key, 17, 18, 99) == "row 99 of the pool (token 5, position 17): " + half_more);
  CHECK(text(PartKind::key, 17, 18, 100) == "row 0 of the chunk (token 5, position 17): " + half_more);
  CHECK(text(PartKind::key, 0, 0, 99, -1) == "row 99 of the pool (all tokens that list it): " + half_more);
  CHECK(text(PartKind::tile, 64, 128, -1, -1) == "positions 64-127 of the lists (all tokens): " + half_more);
  CHECK(text(PartKind::segment, 0, 0, -1, -1) == "rows of the pool (all tokens): " + half_more);
  CHECK(text(PartKind::segment, 1, 0, -1, -1) == "rows of the chunk (all tokens): " + half_more);
  CHECK(text(PartKind::all_values, 0, 0, -1) == "all rows of the lists (token 5): " + half_more);
}
