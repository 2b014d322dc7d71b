// What roundings of P that point the same way make of a row, against rounding each of them to fp8 after every
// factor a kernel might have.
#define FMHA950_SIMD simd_baseline
#include "impl_reference/audit/common_rounding.hpp"

#include "numerics/formats.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace fmha950;
using fmha950::reference::simd_baseline::CommonRounding;

namespace {

constexpr ProbabilityRounding shifted{.type = ElementType::fp8, .shift = 8};
constexpr size_t tile = 64;

struct Row {
  std::vector<float> shares, relative;
};

// Scores are normal numbers times `spread`.
Row row_of(size_t keys, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> scores(0, spread);
  Row row;
  for (size_t key = 0; key < keys; ++key) row.relative.push_back(std::exp(scores(random)));
  const float largest = *std::ranges::max_element(row.relative),
              sum = std::reduce(row.relative.begin(), row.relative.end());
  for (float& p : row.relative) row.shares.push_back(p / sum), p /= largest;
  return row;
}

// The share by which rounding makes keys [first, last) too heavy.
double error_of(const Row& row, size_t first, size_t last, double factor) {
  double sum = 0;
  for (size_t key = first; key < std::min(last, row.shares.size()); ++key) {
    const auto p = static_cast<float>(row.relative[key] * 256 * factor / 2); // 448 is the largest number
    sum += row.shares[key] * (numerics::f32_from_fp8(numerics::fp8_from_f32(p, true)) / p - 1);
  }
  return sum;
}

double worst_of(const Row& row) {
  constexpr int factors = 1009;
  double sum = 0;
  for (size_t first = 0; first < row.shares.size(); first += tile) {
    double worst = 0;
    for (int i = 0; i < factors; ++i)
      worst = std::max(worst, std::fabs(error_of(row, first, first + tile, std::exp2(double(i) / factors))));
    sum += worst;
  }
  return sum;
}

} // namespace

TEST_CASE("common rounding: P that are all alike are as wrong as the type allows") {
  for (const size_t keys : {1, 7, 64, 1000}) {
    const Row row = row_of(keys, 0, 1);
    CHECK(CommonRounding(shifted).of(row.shares, row.relative) >= 0.999 / 17);
    CHECK(CommonRounding(shifted).of(row.shares, row.relative) < 1.001 / 17);
  }
}

TEST_CASE("common rounding: no factor of a tile makes more of it, and some make nearly as much") {
  for (const float spread : {0.0F, 0.01F, 0.1F, 0.5F, 1.0F, 1.5F})
    for (const size_t keys : {1, 2, 10, 63, 64, 65, 500}) {
      const Row row = row_of(keys, spread, static_cast<unsigned>(keys));
      const double worst = worst_of(row), bound = CommonRounding(shifted).of(row.shares, row.relative);
      double squares = 0;
      for (const float share : row.shares) squares += double(share) * share;
      const double deviation = 0.0265 * std::sqrt(squares); // of fp8 (DESIGN.md section 7)
      INFO("spread " << spread << ", " << keys << " keys: " << worst << ", bound " << bound);
      CHECK(bound + deviation > worst);
      CHECK(bound < 1.35 * worst);
    }
}

TEST_CASE("common rounding: spread over an octave it averages out") {
  const Row row = row_of(4096, 1, 3);
  CHECK(CommonRounding(shifted).of(row.shares, row.relative) < 0.3 / 17);
}

TEST_CASE("common rounding: of subnormal P half a step, of finer types the largest error") {
  const std::vector<float> shares{0.5F, 0.5F}, small{0x1p-16F, 0x1p-17F};
  CHECK(CommonRounding(shifted).of(shares, small) ==
        Approx(0.5 * 0x1p-18 / 0x1p-16 + 0.5 * 0x1p-18 / 0x1p-17));
  CHECK(CommonRounding({.type = ElementType::bf16}).of(shares, small) == Approx(1.0 / 257));
  CHECK(CommonRounding({.type = ElementType::fp16}).of(shares, small) == Approx(1.0 / 2049));
  CHECK(CommonRounding(shifted).of({}, {}) == 0);
}
