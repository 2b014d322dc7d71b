// The plain low-precision implementation against scalar loops that round P, and nothing else, in float64.
#include "brute_force.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Format {
  int mantissa_bits, min_exponent;
  double max;
};
Format format_of(ElementType type) {
  if (type == ElementType::bf16) return {7, -126, std::ldexp(255, 120)};
  if (type == ElementType::fp16) return {10, -14, 65504};
  return {3, -6, 448}; // OCP e4m3fn
}

// Nearest even, saturating.
double rounded(ElementType type, double x) {
  if (x == 0) return x;
  const Format format = format_of(type);
  const int exponent = std::max(std::ilogb(x), format.min_exponent);
  const double step = std::ldexp(1.0, exponent - format.mantissa_bits);
  return std::clamp(std::nearbyint(x / step) * step, -format.max, format.max);
}

double step_at(ElementType type, double x) {
  const Format format = format_of(type);
  const int exponent = x == 0 ? format.min_exponent : std::max(std::ilogb(x), format.min_exponent);
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

std::vector<QueryRow> rows_of(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int b = 0; b < static_cast<int>(problem.requests.size()); ++b)
    for (int i = 0; i < problem.requests[b].query_length; ++i) rows.push_back({b, i});
  return rows;
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// Rows of 900 keys, so that the noise of P shows.
struct ManyKeys {
  std::mt19937 random{12};
  const RandomCase c =
      fill(parse_case("batch_prefill/h=2:1/sq=64/sk=900/d=128/kv=fp8/q=fp8/o=fp16/scale=0.05"), random);
  const std::vector<QueryRow> rows = rows_of(c.problem);
  const std::vector<double> exact =
      oracle().exact(c.problem, c.tensors, rows, OracleInput::dequantised).output;
  std::vector<double> plain(const ProbabilityRounding& rounding) const {
    return oracle().plain(c.problem, c.tensors, rows, rounding).output;
  }
};

constexpr const char* quantised =
    "batch_prefill/h=2:1/sq=6,3/sk=150,40/d=128/kv=fp8/q=fp8/causal=1/lse=1/scale=0.02/quant=";

} // namespace

TEST_CASE("plain rounds P and the output, and sums the denominator unrounded") {
  std::mt19937 random(11);
  for (const char* quantisation : {"none", "tensor", "page", "mx", "mx/page=32"})
    for (const ProbabilityRounding rounding :
         {ProbabilityRounding{ElementType::bf16, 0}, ProbabilityRounding{ElementType::fp16, 0},
          ProbabilityRounding{ElementType::fp8, 0}, ProbabilityRounding{ElementType::fp8, 8}}) {
      const RandomCase c = fill(parse_case(std::string(quantised) + quantisation), random);
      CAPTURE(quantisation, static_cast<int>(rounding.type), rounding.shift);
      const auto rows = rows_of(c.problem);
      const AttentionRows plain = oracle().plain(c.problem, c.tensors, rows, rounding);
      const auto round_p = [&](double p) { return rounded(rounding.type, p); };
      // P next to the middle of two codes may round either way in fp32,
      // which moves a row by one P step at most.
      int misses = 0, elements = 0;
      for (size_t r = 0; r < rows.size(); ++r)
        for (int head = 0; head < 2; ++head) {
          const Row expected = brute_force(c, rows[r].request, rows[r].query, head, round_p, rounding.shift);
          REQUIRE(plain.lse[r * 2 + head] == Approx(expected.lse).margin(1e-4));
          for (int d = 0; d < 128; ++d, ++elements) {
            const double actual = plain.output[(r * 2 + head) * 128 + d];
            REQUIRE(rounded(ElementType::bf16, actual) == actual); // the output's type
            if (std::abs(actual - expected.output[d]) > 0.51 * step_at(ElementType::bf16, expected.output[d]))
              ++misses;
          }
        }
      REQUIRE(misses <= elements / 50);
    }
}

TEST_CASE("plain's error is that of P's type") {
  const ManyKeys many;
  const auto error = [&](ElementType type) { return rms_difference(many.plain({type, 0}), many.exact); };
  const double fp32 = error(ElementType::fp32), fp16 = error(ElementType::fp16);
  const double bf16 = error(ElementType::bf16), fp8 = error(ElementType::fp8);
  CAPTURE(fp32, fp16, bf16, fp8);
  REQUIRE(fp32 <= fp16); // only the output's rounding
  REQUIRE(fp16 * 4 < bf16);
  REQUIRE(bf16 * 8 < fp8); // 4 bits of precision between them
}

TEST_CASE("plain with linear P is a little worse than with fp8, and its mean error cancels") {
  const ManyKeys many;
  const auto linear = many.plain({.type = ElementType::fp8, .shift = 8, .sum_rounded = true, .linear = true});
  const double ratio =
      rms_difference(linear, many.exact) / rms_difference(many.plain({ElementType::fp8, 8}), many.exact);
  CHECK(ratio > 1.05); // 0.0314 / 0.0265 = 1.19
  CHECK(ratio < 1.35);
  // P is 1.04 of what it should be in the mean: were the sum not of the same P, so would outputs be.
  double along = 0, squares = 0;
  for (size_t i = 0; i < linear.size(); ++i) {
    along += linear[i] * many.exact[i];
    squares += many.exact[i] * many.exact[i];
  }
  CHECK(along / squares == Approx(1).margin(0.005));
  CHECK_THROWS_WITH(many.plain({.type = ElementType::fp8, .shift = 8, .linear = true}),
                    "P type = fp8: must be fp8, with a denominator that sums rounded P, where P is linear");
}

TEST_CASE("plain: the kernel's shift rescues P in fp8 from its subnormals") {
  std::mt19937 random(12);
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=900/d=128/kv=fp8/q=fp8/o=fp16/scale=0.06");
  const RandomCase c = fill(problem, random);
  // Key 0 equals the query, so that its probability stands far above 899 others that matter in sum.
  const int page = c.tensors.kv_page_indices.as<int32_t>()[0];
  Tensor k_pool = c.tensors.k_pool; // the same storage
  std::memcpy(k_pool.data() + k_index(problem, page, 0, 0, 0), c.tensors.q.data(), 128);
  const auto exact = oracle().exact(problem, c.tensors, {{0, 0}}, OracleInput::dequantised);
  const auto error = [&](float shift) {
    return rms_difference(oracle().plain(problem, c.tensors, {{0, 0}}, {ElementType::fp8, shift}).output,
                          exact.output);
  };
  CAPTURE(error(8), error(0));
  REQUIRE(error(8) * 4 < error(0));
}

TEST_CASE("plain is bit-reproducible and refuses a P type that is none") {
  std::mt19937 random(13);
  const RandomCase c = fill(parse_case(std::string(quantised) + "mx"), random);
  const auto rows = rows_of(c.problem);
  REQUIRE(oracle().plain(c.problem, c.tensors, rows, {}).output ==
          oracle().plain(c.problem, c.tensors, rows, {}).output);
  REQUIRE_THROWS_WITH(oracle().plain(c.problem, c.tensors, rows, {ElementType::int32, 0}),
                      "P type = int32: must be bf16, fp16, fp8 or fp32");
}
