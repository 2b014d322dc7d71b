// Rows of generated sparse_prefill problems: values, quantisation, and poison where nothing is read.
#include "interface/npy.hpp"
#include "numerics/formats.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/operators/sparse_prefill/sparse_workload.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::sparse;
using namespace fmha950::workload;

namespace {

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

TEST_CASE("a row has the same values in every format, whichever tokens list it") {
  const std::string rest = "h=16/n=8/pool=40/chunk=24/lists=dense/values=outlier/kv=";
  const SparseWorkload whole(rest + "bf16"), split(rest + "fp8"), packed(rest + "fp8/format=packed");
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
    const SparseWorkload c(packed ? "h=16/n=4/pool=64/chunk=9/lists=dense/kv=fp8/format=packed/values=outlier"
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
  const SparseWorkload split("h=16/n=4/pool=20/chunk=5/lists=dense/kv=fp8");
  const SparseWorkload packed("h=16/n=4/pool=20/chunk=5/lists=dense/kv=fp8/format=packed");
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
    const SparseWorkload c(fmt::format("h=16/n=3/pool=200/chunk=150/{}", rows));
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
  const SparseWorkload c("h=16/n=2/pool=40/chunk=8/lists=dense/kv=fp8/format=packed");
  for (const SparseRows* rows : {&c.t.q, &c.t.pool, &c.t.chunk})
    for (int64_t row = 0; row < rows->rows(); ++row) {
      const auto padding = row_bytes(rows->nope, row).subspan(462);
      CHECK(padding.size() == 50);
      const auto nans = std::ranges::count_if(padding, is_fp8_nan);
      CHECK((row % 4 == 3 ? nans < 10 : nans == 50));
    }
}

TEST_CASE("sink logits of sparse_prefill lie around the logarithm of the longest list") {
  const SparseWorkload c("h=128/n=4/pool=1000/chunk=1000/sinklogit=1");
  float sum = 0;
  for (const float sink : c.tensors.sink_logit.as<float>()) sum += sink;
  CHECK(sum / 128 == Approx(std::log(501.0f)).margin(0.3));
  CHECK(SparseWorkload("h=16/n=4/pool=10/chunk=10").tensors.sink_logit.empty());
}

TEST_CASE("recorded rows: eight recorded heads of three consecutive tokens, the same distance in Q") {
  const SparseWorkload c("h=32/n=5/pool=300/chunk=40/lists=dense/values=activations:L18");
  const std::string folder = source_path("data/activations/");
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
