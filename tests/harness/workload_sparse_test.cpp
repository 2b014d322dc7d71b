// Tensors of sparse_prefill problems: lists by their kind, quantisation, and poison where nothing is read.
#include "emulator/numerics/formats.hpp"
#include "harness/workload/generate.hpp"
#include "harness/workload/generate_sparse.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/npy.hpp"
#include "interface/sparse_rows.hpp"
#include "interface/validate.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <set>

using namespace fmha950;
using namespace fmha950::workload;
using namespace fmha950::sparse;

namespace {

struct Case {
  explicit Case(const std::string& rest)
      : problem(parse_case("sparse_prefill/scale=0.0442/" + rest)), tensors(make_tensors(problem)),
        lists(*problem.sparse), t(tensors.sparse) {}
  Problem problem;
  Tensors tensors;
  const SparseLists& lists;
  const SparseTensors& t;

  std::vector<std::vector<int32_t>> prefix_lists() const {
    return lists_of(t.prefix_indptr, t.prefix_indices);
  }
  std::vector<std::vector<int32_t>> extend_lists() const {
    return lists_of(t.extend_indptr, t.extend_indices);
  }
  // Any row of Q, or a row of pool or chunk that is listed.
  std::array<float, head_dim> values(const SparseRows& rows, int64_t row) const {
    std::array<float, head_dim> columns;
    read_row(problem, rows, row, std::span<float, head_dim>(columns));
    return columns;
  }

 private:
  std::vector<std::vector<int32_t>> lists_of(const Tensor& indptr, const Tensor& indices) const {
    std::vector<std::vector<int32_t>> result;
    const auto ends = indptr.as<int32_t>(), ids = indices.as<int32_t>();
    for (int token = 0; token < lists.tokens; ++token)
      result.emplace_back(ids.begin() + ends[token], ids.begin() + ends[token + 1]);
    return result;
  }
};

bool names_each_once(const std::vector<int32_t>& list, int rows) {
  return static_cast<int>(std::set(list.begin(), list.end()).size()) == rows;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.type() == b.type() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

std::vector<int32_t> unlisted_rows(const SparseRows& rows, const Tensor& indptr, const Tensor& indices) {
  const auto listed = listed_rows(indptr, indices);
  std::vector<int32_t> rest;
  for (int32_t row = 0; row < rows.rows(); ++row)
    if (!std::ranges::binary_search(listed, row)) rest.push_back(row);
  return rest;
}

bool is_fp8_nan(std::byte byte) { return byte == std::byte{0x7f} || byte == std::byte{0xff}; }

std::span<const std::byte> row_bytes(const Tensor& tensor, int64_t row) {
  const size_t bytes = tensor.bytes() / static_cast<size_t>(tensor.shape()[0]);
  return {tensor.data() + static_cast<size_t>(row) * bytes, bytes};
}

bool all_ff(const Tensor& tensor, int64_t row) {
  return std::ranges::all_of(row_bytes(tensor, row), [](std::byte b) { return b == std::byte{0xff}; });
}

} // namespace

TEST_CASE("sparse_prefill: generated tensors pass the checks of every plan") {
  for (const char* rows : {"kv=bf16", "kv=fp8", "kv=fp8/format=packed"})
    for (const char* lists :
         {"lists=sparse", "lists=dense", "lists=empty", "prefix=3,0,400,1/extend=0,90,1,0"}) {
      const Case c(fmt::format("h=16/n=4/pool=100/chunk=45/sinklogit=1/{}/{}", rows, lists));
      CAPTURE(rows, lists);
      CHECK_NOTHROW(validate_tensors(c.problem, c.tensors));
    }
  const Case without_pool("h=16/n=5/pool=0/chunk=9");
  CHECK_NOTHROW(validate_tensors(without_pool.problem, without_pool.tensors));
  CHECK(without_pool.t.pool.rows() == 0);
}

TEST_CASE("sparse_prefill: the same problem has the same tensors, and another seed others") {
  const std::string text = "h=16/n=20/pool=64/chunk=30/kv=fp8/seed=";
  const Case a(text + "7"), again(text + "7"), other(text + "8");
  CHECK(same_bytes(a.t.pool.nope, again.t.pool.nope));
  CHECK(same_bytes(a.t.prefix_indices, again.t.prefix_indices));
  CHECK(same_bytes(a.t.q.scale, again.t.q.scale));
  CHECK_FALSE(same_bytes(a.t.prefix_indptr, other.t.prefix_indptr));
  CHECK_FALSE(same_bytes(a.t.q.nope, other.t.q.nope));
}

TEST_CASE("lists of kind sparse: up to a quarter of the rows, no row twice, in no order") {
  const Case c("h=16/n=200/pool=103/chunk=41");
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
  const Case c("h=16/n=6/pool=50/chunk=20/lists=dense");
  for (const auto& list : c.prefix_lists()) CHECK((list.size() == 50 && names_each_once(list, 50)));
  for (const auto& list : c.extend_lists()) CHECK((list.size() == 20 && names_each_once(list, 20)));
  CHECK(c.prefix_lists()[0] != c.prefix_lists()[1]);
}

TEST_CASE(
    "lists of kind empty: of four tokens one has no rows, one none of the pool, one none of the chunk") {
  const Case c("h=16/n=40/pool=1000/chunk=900/lists=empty");
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
  const Case c("h=16/n=4/pool=10/chunk=6/prefix=0,10,23,4/extend=6,1,0,7");
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
  const Case c("h=16/n=3/pool=100/chunk=60");
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

TEST_CASE("a row has the same values in every format, whichever tokens list it") {
  const std::string rest = "h=16/n=8/pool=40/chunk=24/lists=dense/values=outlier/kv=";
  const Case whole(rest + "bf16"), split(rest + "fp8"), packed(rest + "fp8/format=packed");
  for (const auto& [of_whole, of_split, of_packed] :
       {std::tuple(&whole.t.q, &split.t.q, &packed.t.q),
        std::tuple(&whole.t.pool, &split.t.pool, &packed.t.pool),
        std::tuple(&whole.t.chunk, &split.t.chunk, &packed.t.chunk)}) {
    CHECK(of_whole->original.empty());
    CHECK(same_bytes(of_split->original, of_packed->original));
    CHECK(same_bytes(of_split->rope, of_packed->rope));
    bool equal = true;
    for (int64_t i = 0; i < of_whole->nope.elements(); ++i)
      equal = equal && of_whole->nope.value(i) == of_split->original.value(i);
    CHECK(equal);
  }
  CHECK(same_bytes(whole.t.prefix_indices, packed.t.prefix_indices));
  CHECK_FALSE(same_bytes(whole.t.pool.nope, Tensor(ElementType::bf16, whole.t.pool.nope.shape())));
}

TEST_CASE("quantised rows are within half a step of fp8 of what they were, and ROPE is untouched") {
  for (const bool packed : {false, true}) {
    const Case c(packed ? "h=16/n=4/pool=64/chunk=9/lists=dense/kv=fp8/format=packed/values=outlier"
                        : "h=16/n=4/pool=64/chunk=9/lists=dense/kv=fp8/values=outlier");
    double worst = 0, worst_rope = 0;
    for (const SparseRows* rows : {&c.t.q, &c.t.pool, &c.t.chunk})
      for (int64_t row = 0; row < rows->rows(); ++row) {
        const auto got = c.values(*rows, row);
        const int block = packed ? packed_block : split_block;
        for (int column = 0; column < head_dim; ++column) {
          const float x = rows->original.value(row * head_dim + column);
          if (column >= nope_columns) {
            worst_rope = std::max<double>(worst_rope, std::abs(got[column] - x));
            continue;
          }
          float amax = 0;
          for (int i = column / block * block; i < (column / block + 1) * block; ++i)
            amax = std::max(amax, std::abs(rows->original.value(row * head_dim + i)));
          // The step of a normal number is at most 1/8 of it, that of subnormal ones 2^-9 of the scale's
          // unit; MX lets the largest value of a block saturate, by at most 1/8.
          const bool may_saturate = packed && std::abs(x) > 0.875f * amax;
          const double allowed = may_saturate ? amax / 8 : std::max(std::abs(x) / 16, amax / 224 * 0x1p-9f);
          worst = std::max(worst, std::abs(got[column] - x) / allowed);
        }
      }
    CHECK(worst <= 1);
    CHECK(worst > 0.5);
    CHECK(worst_rope == 0);
  }
}

TEST_CASE("split scales are the least powers of two that fit, packed ones OCP MX's") {
  const Case split("h=16/n=4/pool=20/chunk=5/lists=dense/kv=fp8");
  const Case packed("h=16/n=4/pool=20/chunk=5/lists=dense/kv=fp8/format=packed");
  const auto amax = [](const Tensor& original, int64_t first, int columns) {
    float largest = 0;
    for (int64_t i = first; i < first + columns; ++i)
      largest = std::max(largest, std::abs(original.value(i)));
    return largest;
  };
  for (int64_t row = 0; row < 20; ++row) {
    for (int block = 0; block < 7; ++block) {
      const float scale = split.t.pool.scale.value(row * 7 + block);
      const float largest = amax(split.t.pool.original, row * head_dim + block * split_block, split_block);
      CHECK(largest / scale <= 448);
      CHECK(largest / scale > 224);
    }
    for (int block = 0; block < 14; ++block) {
      const int code = packed.t.pool.nope.as<uint8_t>()[row * head_dim + packed_scales_begin + block];
      const float largest = amax(packed.t.pool.original, row * head_dim + block * packed_block, packed_block);
      CHECK(code == std::ilogb(largest) - 8 + 127);
    }
  }
}

TEST_CASE("rows that no list names are NaN in every byte, and all rows are written") {
  for (const char* rows : {"kv=bf16", "kv=fp8", "kv=fp8/format=packed"}) {
    CAPTURE(rows);
    const Case c(fmt::format("h=16/n=3/pool=200/chunk=150/{}", rows));
    const bool fp8 = c.problem.kv_type == ElementType::fp8, split = fp8 && !c.t.pool.scale.empty();
    const auto check = [&](const SparseRows& of, const Tensor& indptr, const Tensor& indices) {
      const auto unlisted = unlisted_rows(of, indptr, indices);
      CHECK(unlisted.size() > 30);
      CHECK(std::ssize(of.written) == of.rows());
      CHECK(std::ranges::is_sorted(of.written));
      std::set<std::byte> seen;
      for (const int32_t row : unlisted) {
        if (!fp8) {
          CHECK(all_ff(of.nope, row));
          continue;
        }
        for (const std::byte b : row_bytes(of.nope, row)) {
          CHECK(is_fp8_nan(b));
          seen.insert(b);
        }
        CHECK(all_ff(of.rope, row));
        if (split)
          CHECK(all_ff(of.scale, row));
        else
          CHECK(row_bytes(of.nope, row)[packed_scales_begin] == std::byte{0xff});
      }
      CHECK(seen.size() == (fp8 ? 2 : 0)); // both NaNs of fp8
    };
    check(c.t.pool, c.t.prefix_indptr, c.t.prefix_indices);
    check(c.t.chunk, c.t.extend_indptr, c.t.extend_indices);
  }
}

TEST_CASE("the padding of packed rows is NaN, and random in every fourth row") {
  const Case c("h=16/n=2/pool=40/chunk=8/lists=dense/kv=fp8/format=packed");
  for (const SparseRows* rows : {&c.t.q, &c.t.pool, &c.t.chunk})
    for (int64_t row = 0; row < rows->rows(); ++row) {
      const auto padding = row_bytes(rows->nope, row).subspan(462);
      CHECK(padding.size() == 50);
      const auto nans = std::ranges::count_if(padding, is_fp8_nan);
      CHECK((row % 4 == 3 ? nans < 10 : nans == 50));
    }
}

TEST_CASE("a pool beyond 2^32 bytes costs what is listed, and every list has rows around 2^31 and 2^32") {
  for (const auto& [rows, bytes] :
       {std::pair("kv=bf16", 1024), std::pair("kv=fp8", 448), std::pair("kv=fp8/format=packed", 512)}) {
    CAPTURE(rows);
    const Case c(fmt::format("h=16/n=3/pool=10000000/chunk=10/prefix=40/extend=2/{}", rows));
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

TEST_CASE("sink logits of sparse_prefill lie around the logarithm of the longest list") {
  const Case c("h=128/n=4/pool=1000/chunk=1000/sinklogit=1");
  float sum = 0;
  for (const float sink : c.tensors.sink_logit.as<float>()) sum += sink;
  CHECK(sum / 128 == Approx(std::log(501.0f)).margin(0.3));
  CHECK(Case("h=16/n=4/pool=10/chunk=10").tensors.sink_logit.empty());
}

TEST_CASE("recorded rows: eight recorded heads of three consecutive tokens, the same distance in Q") {
  const Case c("h=32/n=5/pool=300/chunk=40/lists=dense/values=activations:L18");
  const std::string folder = FMHA950_SOURCE_DIR "/data/activations/";
  const Tensor k = read_npy(folder + "L18_K.npy", ElementType::fp16);
  const Tensor q = read_npy(folder + "L18_Q_pos3072-4095.npy", ElementType::fp16);
  const auto rounded = [](float x) { return numerics::f32_from_bf16(numerics::bf16_from_f32(x)); };
  const auto key = [&](int64_t token, int head, int column) {
    return rounded(k.value((token * 3 + head) * 64 + column));
  };
  for (const int row : {1, 250}) {
    const auto got = c.values(c.t.pool, row);
    CHECK(got[5] == key(row, 0, 5));
    CHECK(got[2 * 64 + 63] == key(row, 2, 63));
    CHECK(got[3 * 64 + 1] == key(row + 1, 0, 1));
    CHECK(got[7 * 64 + 9] == key(row + 2, 1, 9));
  }
  CHECK(c.values(c.t.pool, 0)[7 * 64] == key(0, 1, 0));
  CHECK(c.values(c.t.chunk, 7)[64] == key(307, 1, 0));
  // Token 2, head 5: 340 - 5 + 2, and 23 for the second three heads; query head 2 of every recorded three.
  const auto query = c.values(c.t.q, 2 * 32 + 5);
  for (const int segment : {0, 1, 3, 7})
    CHECK(query[segment * 64 + 8] ==
          rounded(q.value(((360 + segment / 3) * 9 + segment % 3 * 3 + 2) * 64 + 8)));
}

TEST_CASE("lists that are given are checked") {
  const Problem problem = parse_case("sparse_prefill/h=16/n=2/pool=3/chunk=2/scale=1/prefix=1/extend=0");
  const std::shared_ptr<const ValueSource> values = make_value_source(problem);
  const auto make = [&](std::vector<std::vector<int32_t>> prefix) {
    return make_sparse_tensors(problem, {RowLists{std::move(prefix)}, RowLists{{{}, {}}}, values, 0});
  };
  CHECK_THROWS_WITH(make({{0}}), "prefix = lists of 1 tokens: must be one list for each of 2 tokens");
  CHECK_THROWS_WITH(make({{0}, {3}}), "prefix[1] = 3: must be a row, 0 to 2");
  const Tensors tensors = make({{0}, {2}});
  CHECK_NOTHROW(validate_tensors(problem, tensors));
  CHECK(tensors.sparse.prefix_indices.elements() == 2); // no padding
}
