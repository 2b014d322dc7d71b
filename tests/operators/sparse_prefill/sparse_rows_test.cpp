#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/elements.hpp"
#include "tests/support/sparse_case.hpp"

#include "tests/support/catch.hpp"
#include <array>
#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

template <class Scalar>
std::array<Scalar, 512> row_of(const Problem& problem, const SparseRows& rows, int64_t row) {
  std::array<Scalar, 512> columns;
  read_row<Scalar>(problem, rows, row, columns);
  return columns;
}

// Rows of every fp8 code in NOPE, and one bf16 value in ROPE.
SparseRows rows_of_all_codes(RowFormat format, int64_t count) {
  SparseRows rows;
  const int width = format == RowFormat::split ? 448 : 512;
  rows.nope = Tensor(ElementType::fp8, {count, width});
  rows.rope = Tensor(ElementType::bf16, {count, 64});
  if (format == RowFormat::split) rows.scale = Tensor(ElementType::fp32, {count, 7});
  for (int64_t row = 0; row < count; ++row) {
    for (int column = 0; column < 448; ++column)
      rows.nope.as<uint8_t>()[row * width + column] = uint8_t(column);
    for (int column = 0; column < 64; ++column)
      rows.rope.as<uint16_t>()[row * 64 + column] = uint16_t(0x3f80 + column);
  }
  return rows;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

} // namespace

TEST_CASE("a packed row with every E8M0 scale in every block") {
  Problem problem = sparse_problem(16, RowFormat::packed, 256, 0, {}, {});
  SparseRows rows = rows_of_all_codes(RowFormat::packed, 256);
  const auto bytes = rows.nope.as<uint8_t>();
  for (int row = 0; row < 256; ++row)
    for (int block = 0; block < 14; ++block) bytes[row * 512 + 448 + block] = uint8_t(row + block);
  for (int row = 0; row < 256; ++row) {
    const auto columns = row_of<double>(problem, rows, row);
    const auto floats = row_of<float>(problem, rows, row);
    for (int column = 0; column < 448; ++column) {
      const int scale = (row + column / 32) & 255;
      const std::byte code{uint8_t(column)};
      const double expected = scale == 255 ? NAN : std::ldexp(decode(ElementType::fp8, &code), scale - 127);
      CAPTURE(row, column, scale);
      REQUIRE(same(columns[column], expected));
      REQUIRE(same(floats[column], static_cast<float>(expected)));
    }
    for (int column = 0; column < 64; ++column) REQUIRE(columns[448 + column] == 1 + column / 128.0);
  }
}

TEST_CASE("a split row with every power of two for a scale") {
  Problem problem = sparse_problem(16, RowFormat::split, 254, 0, {}, {});
  SparseRows rows = rows_of_all_codes(RowFormat::split, 254);
  const auto exponent = [](int row, int block) { return (row + 37 * block) % 254 - 126; };
  for (int row = 0; row < 254; ++row)
    for (int block = 0; block < 7; ++block)
      rows.scale.as<float>()[row * 7 + block] = std::ldexp(1.0f, exponent(row, block));
  for (int row = 0; row < 254; ++row) {
    const auto columns = row_of<double>(problem, rows, row);
    for (int column = 0; column < 448; ++column) {
      const std::byte code{uint8_t(column)};
      CAPTURE(row, column);
      REQUIRE(same(columns[column], std::ldexp(decode(ElementType::fp8, &code), exponent(row, column / 64))));
    }
    for (int column = 0; column < 64; ++column) REQUIRE(columns[448 + column] == 1 + column / 128.0);
  }
}

TEST_CASE("rows of random problems are those that were written, and lists those that were made") {
  std::mt19937 random(6);
  for (const auto& format :
       {std::optional<RowFormat>(), std::optional(RowFormat::split), std::optional(RowFormat::packed)}) {
    const SparseCase c = make_sparse_case(sparse_problem(16, format, 9, 5, {4, 0, 11}, {0, 0, 5}), random);
    const SparseTensors& t = sparse_tensors(c.tensors);
    for (const auto& [rows, values] :
         {std::pair(&t.q, &c.q), std::pair(&t.pool, &c.pool), std::pair(&t.chunk, &c.chunk)})
      for (int64_t row = 0; row < rows->rows(); ++row) {
        const auto columns = row_of<double>(c.problem, *rows, row);
        for (int column = 0; column < 512; ++column)
          REQUIRE(same(columns[column], (*values)[row * 512 + column]));
      }
    for (int token = 0; token < 3; ++token) {
      const TokenLists lists(t, token);
      REQUIRE(lists.size() == static_cast<int>(c.keys[token].size()));
      for (int position = 0; position < lists.size(); ++position) {
        const SparseKey key = c.keys[token][position];
        REQUIRE(lists[position].of == (key.of_chunk ? &t.chunk : &t.pool));
        REQUIRE(lists[position].row == key.row);
      }
    }
  }
}
