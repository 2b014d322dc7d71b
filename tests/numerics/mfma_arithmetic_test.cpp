// Both forms of matrix arithmetic, against exact models
// and against examples worked out by hand from the facts.
#include "numerics/mfma_arithmetic.hpp"
#include "tests/numerics/exact_fdpa.hpp"
#include "tests/support/catch.hpp"
#include <functional>
#include <random>

using namespace fmha950::numerics;

namespace {

const float infinity = INFINITY;
float nan_with(uint32_t bits) { return float_of(bits); }
uint32_t fma_bits(float a, float b, float c) { return bits_of(mfma_fma(a, b, c)); }

float dot(std::vector<float> a, std::vector<float> b, float c, const Fdpa& model) {
  return dot_fdpa(a, b, c, model);
}

using Generator = std::function<float(std::mt19937&)>;

/// Compares 20,000 random steps, values drawn by `value`, C of like size, larger or smaller.
void compare(const Fdpa& model, const ExactModel& exact, const Generator& value_a, const Generator& value_b) {
  std::mt19937 random(950);
  int differing = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<float> a, b;
    for (int k = 0; k < model.step; ++k) a.push_back(value_a(random)), b.push_back(value_b(random));
    if (i % 3 == 0) // nearly cancelling pairs
      for (int k = 1; k < model.step; k += 2) a[k] = a[k - 1], b[k] = -b[k - 1];
    float c = std::ldexp(float(int32_t(random())), int(random() % 80) - 60);
    if (i % 5 == 0) c = 0;
    const float expected = exact.step(a, b, c), got = dot_fdpa(a, b, c, model);
    if (bits_of(expected) != bits_of(got) && !(expected == 0 && got == 0) && ++differing <= 3)
      UNSCOPED_INFO("step " << i << ": " << got << ", exactly " << expected);
  }
  CHECK(differing == 0);
}

Generator finite(Format format) {
  return [format](std::mt19937& random) {
    float x;
    do x = f32_from(format, uint8_t(random()));
    while (!std::isfinite(x));
    return x;
  };
}
float some_bf16(std::mt19937& random) { // exponents within 40 of 1, now and then a subnormal or zero
  const uint32_t pick = random();
  if (pick % 29 == 0) return f32_from_bf16(uint16_t(pick >> 16 & 0x807f));
  return f32_from_bf16(uint16_t((pick >> 16 & 0x807f) | (127 - 20 + pick % 41) << 7));
}
float some_f16(std::mt19937& random) {
  uint16_t code;
  do code = uint16_t(random());
  while ((code & 0x7c00) == 0x7c00);
  return f32_from_f16(code);
}

} // namespace

TEST_CASE("fma: NaN priority a, b, c, quieted, an invalid operation gives 0xFFC00000") {
  const float a = nan_with(0x7f800001), b = nan_with(0xff800002), c = nan_with(0x7fc00003);
  CHECK(fma_bits(a, b, c) == 0x7fc00001);
  CHECK(fma_bits(1, b, c) == 0xffc00002);
  CHECK(fma_bits(1, 1, c) == 0x7fc00003);
  CHECK(fma_bits(0, infinity, c) == 0x7fc00003);
  CHECK(fma_bits(0, infinity, 1) == 0xffc00000);
  CHECK(fma_bits(infinity, 1, -infinity) == 0xffc00000);
  CHECK(fma_bits(infinity, 1, infinity) == 0x7f800000);
  CHECK(std::bit_cast<uint64_t>(mfma_fma(0.0, double(INFINITY), 1.0)) == 0xfff8000000000000);
  const double quiet = mfma_fma(std::bit_cast<double>(0x7ff0000000000005), double(NAN), 1.0);
  CHECK(std::bit_cast<uint64_t>(quiet) == 0x7ff8000000000005);
}

TEST_CASE("fma: a chain in order of k, each product fused") {
  const std::vector<float> a = {1, 0x1p-24f, 0x1p-24f}, b = {1, 1, 1};
  CHECK(dot_fma(a, b, 0.0f) == 1.0f); // 1 + 2^-24 ties to 1, twice
  const std::vector<float> r = {0x1p-24f, 0x1p-24f, 1};
  CHECK(dot_fma(r, b, 0.0f) == 1.0f + 0x1p-23f);
  const std::vector<float> x = {1 + 0x1p-12f}, y = {1 - 0x1p-12f};
  CHECK(dot_fma(x, y, -1.0f) == -0x1p-24f); // lost by separate rounding
  const std::vector<double> p = {1 + 0x1p-30}, q = {1 - 0x1p-30};
  CHECK(dot_fma(p, q, -1.0) == -0x1p-60);
}

TEST_CASE("fma: scaled blocks are summed from zero, scaled, then added") {
  std::vector<float> a(64, 0.0f), b(64, 1.0f);
  a[0] = 1, a[1] = 0x1p-24f, a[32] = 3;
  const std::vector<uint8_t> one = {127, 127}, mixed = {130, 120};
  // The tiny terms are lost before and after the block.
  CHECK(dot_fma_scaled(a, b, 0x1p-24f, one, one) == 4.0f);
  CHECK(dot_fma_scaled(a, b, 0.5f, mixed, one) == 0.5f + 8.0f + 3.0f / 128);
  const std::vector<uint8_t> low = {0, 0}, high = {254, 254};
  CHECK(dot_fma_scaled(a, b, 0.5f, low, high) == 4.5f); // 2^-127 * 2^127
  CHECK(dot_fma_scaled(a, b, 0.5f, low, low) == 0.5f);
  CHECK(dot_fma_scaled(a, b, 0.5f, high, high) == infinity);
  const std::vector<uint8_t> nan = {127, 255};
  CHECK(bits_of(dot_fma_scaled(a, b, 0.5f, nan, one)) == 0x7fc00000);
}

TEST_CASE("fma: a scaled block sum that becomes an f32 subnormal is rounded once") {
  std::vector<float> a(32, 0.0f), b(32, 1.0f);
  a[0] = 3;
  const std::vector<uint8_t> scale_a = {0}, scale_b = {127 - 23};
  CHECK(dot_fma_scaled(a, b, 0.0f, scale_a, scale_b) == 0x1p-148f); // 1.5 units of 2^-149 tie to even
}

TEST_CASE("i8: exact, wrapping or saturating") {
  const std::vector<int8_t> a(64, -128), b(64, -128);
  CHECK(dot_i8(a, b, 5, false) == 64 * 16384 + 5);
  CHECK(dot_i8(a, b, INT32_MAX, true) == INT32_MAX);
  CHECK(dot_i8(a, b, INT32_MAX, false) == INT32_MIN + 64 * 16384 - 1);
  const std::vector<int8_t> positive(64, 127);
  CHECK(dot_i8(a, positive, INT32_MIN, true) == INT32_MIN);
}

TEST_CASE("fdpa agrees with exact real arithmetic", "[definition]") {
  SECTION("bf16") {
    compare(fdpa_of_bf16(), {ExactModel::truncated, 24, 31, 30, -126, -126}, some_bf16, some_bf16);
  }
  SECTION("f16") {
    compare(fdpa_of_f16(), {ExactModel::truncated, 24, 31, 30, -14, -14}, some_f16, some_f16);
  }
  SECTION("fp8 x bf8, even and odd groups") {
    compare(fdpa_of_fp8(Format::fp8, Format::bf8), {ExactModel::even_odd, 24, 31, 30, -6, -14},
            finite(Format::fp8), finite(Format::bf8));
  }
  SECTION("bf8 x bf8 as f8f6f4, exact blocks") {
    compare(fdpa_of_f8f6f4(Format::bf8, Format::bf8), {ExactModel::exact, 24, 31, 30, -14, -14},
            finite(Format::bf8), finite(Format::bf8));
  }
  SECTION("fp4 x fp6 as f8f6f4") {
    compare(fdpa_of_f8f6f4(Format::fp4, Format::fp6), {ExactModel::exact, 24, 31, 30, 0, 0},
            finite(Format::fp4), finite(Format::fp6));
  }
  SECTION("other widths") {
    Fdpa narrow = fdpa_of_bf16();
    narrow.step = 16, narrow.fraction_bits = 20, narrow.sum_bits = 26, narrow.normalised_bits = 25;
    compare(narrow, {ExactModel::truncated, 20, 26, 25, -126, -126}, some_bf16, some_bf16);
  }
}

TEST_CASE("fdpa with scales agrees with exact real arithmetic") {
  std::mt19937 random(3);
  const ExactModel exact{ExactModel::exact, 24, 31, 30, -6, -6};
  for (int i = 0; i < 5000; ++i) {
    std::vector<float> a(64), b(64);
    for (int k = 0; k < 64; ++k) a[k] = finite(Format::fp8)(random), b[k] = finite(Format::fp8)(random);
    const std::vector<uint8_t> sa = {uint8_t(117 + random() % 20), uint8_t(random() % 255)};
    const std::vector<uint8_t> sb = {uint8_t(117 + random() % 20), uint8_t(117 + random() % 20)};
    float c = std::ldexp(float(int32_t(random())), int(random() % 40) - 40), expected = c;
    for (int block = 0; block < 2 && std::isfinite(expected); ++block)
      expected = exact.step({a.begin() + 32 * block, a.begin() + 32 * block + 32},
                            {b.begin() + 32 * block, b.begin() + 32 * block + 32}, expected,
                            sa[block] + sb[block] - 254);
    const float got = dot_fdpa_scaled(a, b, c, sa, sb, fdpa_of_f8f6f4(Format::fp8, Format::fp8));
    if (bits_of(expected) != bits_of(got))
      FAIL_CHECK("case " << i << ": " << got << ", exactly " << expected);
  }
}

TEST_CASE("fdpa: products are truncated toward zero, sums with C are floored: a negative bias") {
  const Fdpa bf16 = fdpa_of_bf16();
  // A product below 2^-24 of the largest vanishes, whatever its sign.
  CHECK(dot({1, 0x1p-25f}, {1, 1}, 0, bf16) == 1.0f);
  CHECK(dot({1, -0x1p-25f}, {1, 1}, 0, bf16) == 1.0f);
  // A C as tiny vanishes if positive, but costs 2^-24 if negative, for S = 1 half a unit in the last place of
  // the result.
  CHECK(dot({1}, {1}, 0x1p-60f, bf16) == 1.0f);
  CHECK(dot({1}, {1}, -0x1p-60f, bf16) == 1.0f - 0x1p-24f);
  CHECK(std::fma(1.0f, 1.0f, -0x1p-60f) == 1.0f);
  // A tiny sum below a large C: floored at 2^-31 of C. That rounds away here, but not against a cancelling C.
  CHECK(dot({0x1p-60f}, {1}, 1.0f, bf16) == 1.0f);
  CHECK(dot({-0x1p-60f}, {1}, 1.0f, bf16) == 1.0f);
  CHECK(dot({-0x1p-31f, -0x1p-60f}, {1, 1}, 1.0f, bf16) == 1.0f);
  // In the even/odd form a C more than 25 binades below contributes nothing at all.
  const Fdpa fp8 = fdpa_of_fp8(Format::fp8, Format::fp8);
  CHECK(dot({1}, {1}, -0x1p-60f, fp8) == 1.0f);
  CHECK(dot({1}, {1}, -0x1p-25f, fp8) == 1.0f - 0x1p-24f);
  CHECK(dot({1}, {1}, -0x1p-26f, fp8) == 1.0f);
}

TEST_CASE("fdpa: steps of L products, the f32 of each is the C of the next") {
  std::vector<float> a(16, 0.0f), b(16, 1.0f);
  a[0] = 1, a[8] = -1, a[9] = 0x1p-30f; // second step: -1 + 2^-30 truncated to -1, plus C = 1
  CHECK(dot(a, b, 0, fdpa_of_bf16()) == 0.0f);
  std::swap(a[8], a[1]); // both ones in the first step, the small one alone in the second
  CHECK(dot(a, b, 0, fdpa_of_bf16()) == 0x1p-30f);
}

TEST_CASE("fdpa: NaN, infinity and zero (facts 1.2, special values)") {
  const Fdpa bf16 = fdpa_of_bf16();
  for (float bad : {dot({NAN}, {1}, 0, bf16), dot({1}, {NAN}, 0, bf16), dot({1}, {1}, NAN, bf16),
                    dot({infinity}, {0}, 0, bf16), dot({infinity, infinity}, {1, -1}, 0, bf16),
                    dot({infinity}, {1}, -infinity, bf16), dot({0x1p127f, -0x1p127f}, {2, 2}, 0, bf16)})
    CHECK(bits_of(bad) == 0x7fffffff);
  CHECK(dot({infinity}, {2}, -1, bf16) == infinity);
  CHECK(dot({1}, {2}, -infinity, bf16) == -infinity);
  // Counts as infinite although C would bring it back.
  CHECK(dot({0x1p127f}, {2}, -0x1p127f, bf16) == infinity);
  CHECK(dot({0x1.fep127f, 0x1.fep127f}, {1, 1}, 0, bf16) == infinity);
  // A zero product does not take part in the exponent maximum.
  CHECK(dot({0, 0x1p-100f}, {0x1p100f, 1}, 0x1p-120f, bf16) == 0x1p-100f + 0x1p-120f);
  CHECK(bits_of(dot({0}, {1}, 0, bf16)) == 0);
  CHECK(bits_of(dot({-0.0f}, {1}, -0.0f, bf16)) == 0x80000000);
  CHECK(bits_of(dot({1, -1}, {1, 1}, -0.0f, bf16)) == 0);
  const float smallest = 0x1p-149f; // f32 subnormals are kept, in and out
  CHECK(dot({0}, {1}, smallest, bf16) == smallest);
  CHECK(dot({0x1p-133f}, {1}, -smallest, bf16) == 0x1p-133f - smallest);
}
