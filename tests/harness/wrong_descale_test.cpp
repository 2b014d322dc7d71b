// A test of the accuracy rule itself: attention over sixteen KV tiles of which one has a wrong descale must
// fail it, and the same arithmetic with right descales must pass. The attention here is scalar code of its
// own.
#include "harness/accuracy/limits.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr int rows = 32, tiles = 16, tile_keys = 32, keys = tiles * tile_keys, dim = 64;

float round_to_bf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7FFFu + ((bits >> 16) & 1)) & 0xFFFF0000u);
}

// Nearest of e4m3's numbers for |value| < 448; enough for normal values.
double round_to_fp8(double value) {
  if (value == 0) return 0;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -6) - 3);
  return std::nearbyint(value / unit) * unit;
}

struct Inputs {
  std::vector<double> q, k, v;              // as quantised, without descale
  std::vector<double> k_descale, v_descale; // per tile
};

Inputs random_inputs() {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> normal;
  Inputs inputs;
  for (int i = 0; i < rows * dim; ++i) inputs.q.push_back(round_to_bf16(normal(generator)));
  for (int i = 0; i < keys * dim; ++i) inputs.k.push_back(round_to_fp8(100 * normal(generator)));
  for (int i = 0; i < keys * dim; ++i) inputs.v.push_back(round_to_fp8(100 * normal(generator)));
  for (int t = 0; t < tiles; ++t) {
    inputs.k_descale.push_back(0.01 * (1 + 0.1 * t));
    inputs.v_descale.push_back(0.01 * (2 - 0.1 * t));
  }
  return inputs;
}

struct Result {
  std::vector<double> output, lse;
};

// Exact in double, or as a kernel does it: P and output rounded to bf16, the denominator from unrounded P.
Result attention(const Inputs& in, bool rounded) {
  Result result;
  for (int r = 0; r < rows; ++r) {
    std::vector<double> score(keys);
    double largest = -INFINITY;
    for (int j = 0; j < keys; ++j) {
      for (int d = 0; d < dim; ++d) score[j] += in.q[r * dim + d] * in.k[j * dim + d];
      score[j] *= in.k_descale[j / tile_keys] / std::sqrt(dim);
      largest = std::max(largest, score[j]);
    }
    double denominator = 0;
    std::vector<double> sum(dim, 0);
    for (int j = 0; j < keys; ++j) {
      const double p = std::exp(score[j] - largest);
      denominator += p;
      for (int d = 0; d < dim; ++d)
        sum[d] += (rounded ? round_to_bf16(p) : p) * in.v[j * dim + d] * in.v_descale[j / tile_keys];
    }
    for (int d = 0; d < dim; ++d)
      result.output.push_back(rounded ? round_to_bf16(sum[d] / denominator) : sum[d] / denominator);
    result.lse.push_back(largest + std::log(denominator));
  }
  return result;
}

Verdict judged(const Inputs& right, const Inputs& used) {
  const Result reference = attention(right, false), plain = attention(right, true),
               got = attention(used, true);
  const std::vector<uint8_t> touched(reference.output.size(), 0), lse_touched(reference.lse.size(), 0);
  Evidence evidence;
  evidence.query_rows = rows;
  evidence.reference = reference.output;
  evidence.plain = plain.output;
  evidence.got = got.output;
  evidence.untouched = touched;
  evidence.lse_reference = reference.lse;
  evidence.lse_plain = plain.lse;
  evidence.lse_got = got.lse;
  evidence.lse_untouched = lse_touched;
  return judge(evidence);
}

} // namespace

TEST_CASE("right descales pass the accuracy rule") {
  const Inputs inputs = random_inputs();
  const Verdict verdict = judged(inputs, inputs);
  CHECK(verdict.passed());
}

TEST_CASE("a wrong descale on one tile of sixteen fails the accuracy rule") {
  const Inputs inputs = random_inputs();
  const int tile = GENERATE(0, 7, 15);
  const double factor = GENERATE(0.5, 0.9, 1.1, 2.0);
  CAPTURE(tile, factor);
  SECTION("of V") {
    Inputs wrong = inputs;
    wrong.v_descale[static_cast<size_t>(tile)] *= factor;
    CHECK_FALSE(judged(inputs, wrong).passed());
  }
  SECTION("of K") {
    Inputs wrong = inputs;
    wrong.k_descale[static_cast<size_t>(tile)] *= factor;
    CHECK_FALSE(judged(inputs, wrong).passed());
  }
  SECTION("the neighbouring tile's") {
    Inputs wrong = inputs;
    wrong.v_descale[static_cast<size_t>(tile)] =
        inputs.v_descale[static_cast<size_t>(tile == 0 ? 1 : tile - 1)];
    CHECK_FALSE(judged(inputs, wrong).passed());
  }
}
