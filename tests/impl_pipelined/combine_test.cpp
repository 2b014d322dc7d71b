// The combine step alone, on partial results made by hand.
#include "impl_pipelined/kernel_arguments.hpp"
#include "interface/hip.hpp"

#include <catch2/catch.hpp>
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

struct Parts { // [parts, rows, 128] and [parts, rows]
  size_t parts, rows;
  std::vector<float> output = std::vector<float>(parts * rows * head_dim);
  std::vector<float> lse = std::vector<float>(parts * rows, -infinity);

  void set(size_t part, size_t row, float base2_lse, float value) {
    lse[part * rows + row] = base2_lse;
    std::fill_n(output.begin() + static_cast<std::ptrdiff_t>((part * rows + row) * head_dim), head_dim,
                value);
  }
};

struct Joined {
  std::vector<float> output, lse;
  float value(size_t row) const { return output[row * head_dim]; } // of its first column
};

Joined joined(const Parts& parts, bool with_lse = true) {
  const hip::Buffer output = hip::uploaded(parts.output), lse = hip::uploaded(parts.lse);
  const hip::Buffer result(parts.rows * head_dim * 2), result_lse(parts.rows * sizeof(float));
  const CombineArguments arguments = {.partial_output = output.as<float>(),
                                      .partial_lse = lse.as<float>(),
                                      .output = result.get(),
                                      .lse = with_lse ? result_lse.as<float>() : nullptr,
                                      .rows = parts.rows,
                                      .parts = static_cast<uint32_t>(parts.parts)};
  constexpr unsigned rows_per_workgroup = combine_threads / 64;
  const unsigned grid = static_cast<unsigned>((parts.rows + rows_per_workgroup - 1) / rows_per_workgroup);
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
  const Joined result = joined({3, 5});
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
  for (float& value : parts.output) value = normal(random);
  for (float& value : parts.lse) value = 4 * normal(random);
  const Joined result = joined(parts);
  for (size_t row = 0; row < parts.rows; ++row) {
    double weights = 0;
    std::vector<double> sum(head_dim);
    for (size_t part = 0; part < parts.parts; ++part) {
      const double weight = std::exp2(double(parts.lse[part * parts.rows + row]));
      weights += weight;
      for (size_t c = 0; c < sum.size(); ++c)
        sum[c] += weight * parts.output[(part * parts.rows + row) * head_dim + c];
    }
    CHECK(result.lse[row] == Approx(std::log(weights)).epsilon(1e-6).margin(1e-6));
    for (size_t c = 0; c < sum.size(); ++c) { // half an ulp of bf16, and fp32's rounding of the sums
      const double expected = sum[c] / weights;
      CHECK(std::fabs(result.output[row * head_dim + c] - expected) <= std::fabs(expected) / 256 + 1e-6);
    }
  }
  CHECK(joined(parts, false).output == result.output);
}
