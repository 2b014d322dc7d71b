// The combine step alone, on partial results made by hand.
#include "impl_pipelined/partial_rows.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

using namespace fmha950;
using namespace fmha950::pipelined;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Of a request of `rows` heads of one query.
struct Parts {
  size_t parts, rows;
  uint32_t blocks = PartialRows::blocks(static_cast<uint32_t>(rows)); // of a part
  // What no row has is NaN, and must not matter.
  std::vector<float> output = std::vector<float>(parts * blocks * PartialRows::block_floats, NAN);
  std::vector<float> lse = std::vector<float>(parts * blocks * PartialRows::rows_of_block, NAN);

  Parts(size_t parts, size_t rows) : parts(parts), rows(rows) {
    for (size_t part = 0; part < parts; ++part)
      for (size_t row = 0; row < rows; ++row) set(part, row, -infinity, 0);
  }
  float& lse_of(size_t part, size_t row) {
    return lse[PartialRows::lse(static_cast<uint32_t>(part) * blocks, static_cast<uint32_t>(row))];
  }
  float& at(size_t part, size_t row, int column) {
    const auto chunk = static_cast<uint32_t>(column) / PartialRows::chunk_columns;
    return output[PartialRows::output(static_cast<uint32_t>(part) * blocks, static_cast<uint32_t>(row),
                                      chunk) +
                  static_cast<uint32_t>(column) % PartialRows::chunk_columns];
  }
  void set(size_t part, size_t row, float base2_lse, float value) {
    lse_of(part, row) = base2_lse;
    for (int column = 0; column < head_dim; ++column) at(part, row, column) = value;
  }
  std::vector<CombineItem> items() const {
    std::vector<CombineItem> items;
    for (uint32_t b = 0; b < blocks; ++b)
      items.push_back({.query_begin = 0,
                       .kv_head = 0,
                       .first_row = b * PartialRows::rows_of_block,
                       .end_row = static_cast<uint32_t>(rows),
                       .block = b,
                       .block_stride = blocks,
                       .parts = static_cast<uint32_t>(parts)});
    return items;
  }
};

struct Joined {
  std::vector<float> output, lse;
  float value(size_t row) const { return output[row * head_dim]; } // of its first column
};

Joined joined(const Parts& parts, bool with_lse = true) {
  const hip::Buffer output = hip::uploaded(parts.output), lse = hip::uploaded(parts.lse),
                    items = hip::uploaded(parts.items());
  const hip::Buffer result(parts.rows * head_dim * 2), result_lse(parts.rows * sizeof(float));
  const unsigned grid = (parts.blocks + combine_blocks - 1) / combine_blocks;
  const CombineArguments arguments = {.items = items.as<CombineItem>(),
                                      .blocks = parts.blocks,
                                      .workgroups = grid,
                                      .partial_output = output.as<float>(),
                                      .partial_lse = lse.as<float>(),
                                      .output = result.get(),
                                      .lse = with_lse ? result_lse.as<float>() : nullptr,
                                      .query_heads = static_cast<uint32_t>(parts.rows),
                                      .heads_per_kv_head = static_cast<uint32_t>(parts.rows)};
  hip::launch(hip::load_kernel("pipelined_combine", "combine_parts"), {grid, 1, 1}, {combine_threads, 1, 1},
              &arguments, sizeof arguments, nullptr);
  std::vector<uint16_t> bits(parts.rows * head_dim);
  result.download(bits.data(), bits.size() * 2);
  Joined all{std::vector<float>(bits.size()), std::vector<float>(with_lse ? parts.rows : 0)};
  for (size_t i = 0; i < bits.size(); ++i) {
    const uint32_t word = uint32_t{bits[i]} << 16;
    std::memcpy(&all.output[i], &word, 4);
  }
  if (with_lse) result_lse.download(all.lse.data(), all.lse.size() * sizeof(float));
  return all;
}

} // namespace

TEST_CASE("a row that sees nothing in any part is 0 with an LSE of -inf") {
  const Joined result = joined(Parts(3, 5));
  for (const float value : result.output) CHECK(value == 0);
  for (const float lse : result.lse) CHECK(lse == -infinity);
}

TEST_CASE("a part that saw nothing has no weight, wherever it stands") {
  Parts parts{3, 3};
  for (size_t row = 0; row < 3; ++row) parts.set(row, row, 5, 2);
  const Joined result = joined(parts);
  for (size_t row = 0; row < 3; ++row) {
    CHECK(result.value(row) == 2);
    CHECK(result.lse[row] == Approx(5 * std::numbers::ln2).epsilon(1e-6));
  }
}

TEST_CASE("parts are weighted by two to the power of their LSE") {
  Parts parts{2, 2};
  parts.set(0, 0, 1, 8); // weights 2 : 6
  parts.set(1, 0, std::log2(6.f), 4);
  parts.set(0, 1, 1000, 3); // beyond exp2's range, and so far apart that one is nothing beside the other
  parts.set(1, 1, -1000, 7);
  const Joined result = joined(parts);
  CHECK(result.value(0) == 5);
  CHECK(result.lse[0] == Approx(std::log(8.)).epsilon(1e-6));
  CHECK(result.value(1) == 3);
  CHECK(result.lse[1] == Approx(1000 * std::numbers::ln2).epsilon(1e-6));
}

TEST_CASE(
    "random parts against float64, a row count that is no multiple of a workgroup's, and without an LSE") {
  Parts parts{7, 37};
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (size_t part = 0; part < parts.parts; ++part)
    for (size_t row = 0; row < parts.rows; ++row) {
      parts.lse_of(part, row) = 4 * normal(random);
      for (int column = 0; column < head_dim; ++column) parts.at(part, row, column) = normal(random);
    }
  const Joined result = joined(parts);
  for (size_t row = 0; row < parts.rows; ++row) {
    double weights = 0;
    std::vector<double> sum(head_dim);
    for (size_t part = 0; part < parts.parts; ++part) {
      const double weight = std::exp2(double(parts.lse_of(part, row)));
      weights += weight;
      for (size_t c = 0; c < sum.size(); ++c) sum[c] += weight * parts.at(part, row, static_cast<int>(c));
    }
    CHECK(result.lse[row] == Approx(std::log(weights)).epsilon(1e-6).margin(1e-6));
    for (size_t c = 0; c < sum.size(); ++c) { // half an ulp of bf16, and fp32's rounding of the sums
      const double expected = sum[c] / weights;
      CHECK(std::fabs(result.output[row * head_dim + c] - expected) <= std::fabs(expected) / 256 + 1e-6);
    }
  }
  CHECK(joined(parts, false).output == result.output);
}
