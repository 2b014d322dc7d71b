// Problems of sparse_prefill as tensors: lists by their kind, what is generated and what it costs.
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/generate.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/operators/sparse_prefill/sparse_workload.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::workload;

TEST_CASE("sparse_prefill: generated tensors pass the checks of every plan") {
  for (const char* rows : {"kv=bf16", "kv=fp8", "kv=fp8/format=packed"})
    for (const char* lists :
         {"lists=sparse", "lists=dense", "lists=empty", "prefix=3,0,400,1/extend=0,90,1,0"}) {
      const SparseWorkload c(fmt::format("h=16/n=4/pool=100/chunk=45/sinklogit=1/{}/{}", rows, lists));
      CAPTURE(rows, lists);
      CHECK_NOTHROW(validate_tensors(c.problem, c.tensors));
    }
  const SparseWorkload without_pool("h=16/n=5/pool=0/chunk=9");
  CHECK_NOTHROW(validate_tensors(without_pool.problem, without_pool.tensors));
  CHECK(without_pool.t.pool.rows() == 0);
}

TEST_CASE("sparse_prefill: the same problem has the same tensors, and another seed others") {
  const std::string text = "h=16/n=20/pool=64/chunk=30/kv=fp8/seed=";
  const SparseWorkload a(text + "7"), again(text + "7"), other(text + "8");
  CHECK(same_bytes(a.t.pool.nope, again.t.pool.nope));
  CHECK(same_bytes(a.t.prefix_indices, again.t.prefix_indices));
  CHECK(same_bytes(a.t.q.scale, again.t.q.scale));
  CHECK_FALSE(same_bytes(a.t.prefix_indptr, other.t.prefix_indptr));
  CHECK_FALSE(same_bytes(a.t.q.nope, other.t.q.nope));
}

TEST_CASE("lists of kind sparse: up to a quarter of the rows, no row twice, in no order") {
  const SparseWorkload c("h=16/n=200/pool=103/chunk=41");
  const auto prefix = c.prefix_lists(), extend = c.extend_lists();
  std::set<size_t> prefix_lengths, extend_lengths;
  std::set<int32_t> rows;
  int ascending = 0;
  for (int token = 0; token < 200; ++token) {
    CHECK(names_each_once(prefix[token], static_cast<int>(prefix[token].size())));
    CHECK(names_each_once(extend[token], static_cast<int>(extend[token].size())));
    prefix_lengths.insert(prefix[token].size());
    extend_lengths.insert(extend[token].size());
    rows.insert(prefix[token].begin(), prefix[token].end());
    ascending += prefix[token].size() > 4 && std::ranges::is_sorted(prefix[token]);
  }
  CHECK(*prefix_lengths.begin() == 0);
  CHECK(*prefix_lengths.rbegin() == 26);
  CHECK(*extend_lengths.begin() == 0);
  CHECK(*extend_lengths.rbegin() == 11);
  CHECK(rows.size() == 103); // together they name all rows
  CHECK(ascending < 3);
  CHECK(prefix[0] != prefix[1]);
}

TEST_CASE("lists of kind dense hold every row once, each in an order of its own") {
  const SparseWorkload c("h=16/n=6/pool=50/chunk=20/lists=dense");
  for (const auto& list : c.prefix_lists()) CHECK((list.size() == 50 && names_each_once(list, 50)));
  for (const auto& list : c.extend_lists()) CHECK((list.size() == 20 && names_each_once(list, 20)));
  CHECK(c.prefix_lists()[0] != c.prefix_lists()[1]);
}

TEST_CASE(
    "lists of kind empty: of four tokens one has no rows, one none of the pool, one none of the chunk") {
  const SparseWorkload c("h=16/n=40/pool=1000/chunk=900/lists=empty");
  const auto prefix = c.prefix_lists(), extend = c.extend_lists();
  size_t of_both = 0;
  for (int token = 0; token < 40; ++token) {
    if (token % 4 == 0 || token % 4 == 1) CHECK(prefix[token].empty());
    if (token % 4 == 0 || token % 4 == 2) CHECK(extend[token].empty());
    of_both += !prefix[token].empty() && !extend[token].empty();
  }
  CHECK(of_both >= 8);
}

TEST_CASE("lists of given lengths name a row again only when they have named all") {
  const SparseWorkload c("h=16/n=4/pool=10/chunk=6/prefix=0,10,23,4/extend=6,1,0,7");
  const auto prefix = c.prefix_lists(), extend = c.extend_lists();
  CHECK(prefix[0].empty());
  CHECK(names_each_once(prefix[1], 10));
  CHECK(prefix[2].size() == 23);
  for (int32_t row = 0; row < 10; ++row) {
    CHECK(std::ranges::count(prefix[2], row) >= 2);
    CHECK(std::ranges::count(prefix[2], row) <= 3);
  }
  CHECK(names_each_once(prefix[3], 4));
  CHECK(extend[3].size() == 7);
  CHECK(names_each_once(extend[3], 6));
}

TEST_CASE("lists end in seven ids that no row has: past the end, far past it and negative") {
  const SparseWorkload c("h=16/n=3/pool=100/chunk=60");
  for (const auto& [indptr, indices, rows] : {std::tuple(&c.t.prefix_indptr, &c.t.prefix_indices, 100),
                                              std::tuple(&c.t.extend_indptr, &c.t.extend_indices, 60)}) {
    const auto padding = indices->as<int32_t>().subspan(indptr->as<int32_t>().back());
    CHECK(padding.size() == 7);
    for (const int32_t id : padding) CHECK((id < 0 || id >= rows));
    CHECK(std::ranges::count(padding, rows) > 0);
    CHECK(std::ranges::count_if(padding, [](int32_t id) { return id < 0; }) > 0);
    CHECK(std::ranges::count_if(padding, [](int32_t id) { return id > 1 << 30; }) > 0);
  }
}

TEST_CASE("a pool beyond 2^32 bytes costs what is listed, and every list has rows around 2^31 and 2^32") {
  for (const auto& [rows, bytes] :
       {std::pair("kv=bf16", 1024), std::pair("kv=fp8", 448), std::pair("kv=fp8/format=packed", 512)}) {
    CAPTURE(rows);
    const SparseWorkload c(fmt::format("h=16/n=3/pool=10000000/chunk=10/prefix=40/extend=2/{}", rows));
    CHECK(c.t.pool.nope.bytes() > size_t{1} << 32);
    CHECK_NOTHROW(validate_tensors(c.problem, c.tensors));
    const auto written = std::set(c.t.pool.written.begin(), c.t.pool.written.end());
    CHECK(written.size() < 3 * 120 + 2);
    for (const auto& list : c.prefix_lists()) {
      CHECK(names_each_once(list, 40));
      for (const int64_t limit : {int64_t{1} << 31, int64_t{1} << 32}) {
        CHECK(std::ranges::count(list, limit / bytes - 1) == 1);
        CHECK(std::ranges::count(list, limit / bytes) == 1);
      }
      CHECK(std::ranges::count(list, 0) == 1);
      CHECK(std::ranges::count(list, 9999999) == 1);
      for (const int32_t row : list) {
        CHECK(written.contains(row));
        if (row > 0) CHECK(written.contains(row - 1)); // poison, where it is not listed itself
        if (row < 9999999) CHECK(written.contains(row + 1));
      }
    }
  }
}

TEST_CASE("lists that are given are checked") {
  const Problem problem = parse_case("sparse_prefill/h=16/n=2/pool=3/chunk=2/scale=1/prefix=1/extend=0");
  const std::shared_ptr<const ValueSource> values = make_value_source(problem);
  const auto make = [&](std::vector<std::vector<int32_t>> prefix) {
    return operators::make_sparse_tensors(
        problem, {operators::RowLists{std::move(prefix)}, operators::RowLists{{{}, {}}}, values, 0});
  };
  CHECK_THROWS_WITH(make({{0}}), "prefix = lists of 1 tokens: must be one list for each of 2 tokens");
  CHECK_THROWS_WITH(make({{0}, {3}}), "prefix[1] = 3: must be a row, 0 to 2");
  const Tensors tensors = make({{0}, {2}});
  CHECK_NOTHROW(validate_tensors(problem, tensors));
  CHECK(sparse_tensors(tensors).prefix_indices.elements() == 2); // no padding
}
