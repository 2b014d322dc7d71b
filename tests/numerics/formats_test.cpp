// Every format against ml_dtypes and numpy, and the documented special cases that those do differently.
#include "numerics/formats.hpp"
#include "numerics/fp4_pair.hpp"
#include "tests/numerics/golden.hpp"
#include "tests/support/catch.hpp"
#include <cmath>
#include <functional>
#include <random>

using namespace fmha950::numerics;

namespace {

struct Small {
  std::string name;
  int width;
  std::function<float(uint8_t)> decode;
  std::function<uint8_t(float, bool saturate, uint8_t scale)> encode;
  std::function<uint8_t(float, uint32_t seed)> stochastic;
  bool saturated_variant;
};

uint8_t encode_fp8(float x, bool saturate, uint8_t scale) {
  return scale == e8m0_one ? fp8_from_f32(x, saturate) : fp8_from_f32(x, saturate, scale);
}
uint8_t encode_bf8(float x, bool saturate, uint8_t scale) {
  return scale == e8m0_one ? bf8_from_f32(x, saturate) : bf8_from_f32(x, saturate, scale);
}

const std::vector<Small> small_formats = {
    {"fp8", 8, f32_from_fp8, encode_fp8,
     [](float x, uint32_t seed) { return fp8_from_f32_stochastic(x, seed, false); }, true},
    {"bf8", 8, f32_from_bf8, encode_bf8,
     [](float x, uint32_t seed) { return bf8_from_f32_stochastic(x, seed, false); }, true},
    {"fp6", 6, f32_from_fp6, [](float x, bool, uint8_t scale) { return fp6_from_f32(x, scale); },
     [](float x, uint32_t seed) { return fp6_from_f32_stochastic(x, seed); }, false},
    {"bf6", 6, f32_from_bf6, [](float x, bool, uint8_t scale) { return bf6_from_f32(x, scale); },
     [](float x, uint32_t seed) { return bf6_from_f32_stochastic(x, seed); }, false},
    {"fp4", 4, f32_from_fp4, [](float x, bool, uint8_t scale) { return fp4_from_f32(x, scale); },
     [](float x, uint32_t seed) { return fp4_from_f32_stochastic(x, seed); }, false},
};

void require_same(float got, uint32_t expected_bits) {
  const float expected = float_of(expected_bits);
  if (std::isnan(expected))
    CHECK(std::isnan(got));
  else
    CHECK(bits_of(got) == expected_bits);
}

void check_runs(const std::string& table, const std::function<float(uint16_t)>& widen,
                const std::function<uint32_t(float)>& encode) {
  const auto runs = golden<uint16_t>(table);
  size_t run = 0;
  int mismatches = 0;
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const float x = widen(uint16_t(pattern));
    if (std::isnan(x)) continue;
    while (run + 2 < runs.size() && runs[run + 2] <= pattern) run += 2;
    if (encode(x) == runs[run + 1]) continue;
    if (++mismatches <= 5)
      UNSCOPED_INFO(table << " pattern " << pattern << ": " << encode(x) << ", not " << runs[run + 1]);
  }
  CHECK(mismatches == 0);
}

} // namespace

TEST_CASE("every code of the small formats decodes as in ml_dtypes") {
  for (const Small& format : small_formats) {
    const auto expected = golden<uint32_t>("decode_" + format.name + ".u32");
    REQUIRE(expected.size() == size_t(1) << format.width);
    for (size_t code = 0; code < expected.size(); ++code) {
      INFO(format.name << " code " << code);
      require_same(format.decode(uint8_t(code)), expected[code]);
    }
  }
}

TEST_CASE("encoding without a scale has the codes of the encoder with one") {
  constexpr uint64_t step = 241; // a prime: every low byte, every exponent
  int mismatches = 0;
  for (uint64_t pattern = 0; pattern < uint64_t{1} << 32; pattern += step) {
    const float x = float_of(uint32_t(pattern));
    for (bool saturate : {false, true})
      mismatches += fp8_from_f32(x, saturate) != fp8_from_f32(x, saturate, e8m0_one) ||
                    bf8_from_f32(x, saturate) != bf8_from_f32(x, saturate, e8m0_one);
  }
  CHECK(mismatches == 0);
}

TEST_CASE("decoding by Format enumerator agrees with decoding by name and ignores high bits") {
  for (int f = 0; f < format_count; ++f)
    for (int code = 0; code < 256; ++code) {
      const float x = f32_from(Format(f), uint8_t(code));
      const int mask = (1 << small_formats[f].width) - 1;
      CHECK(bits_of(x) == bits_of(small_formats[f].decode(uint8_t(code & mask))));
      CHECK(width_of(Format(f)) == small_formats[f].width);
    }
}

TEST_CASE("every E8M0 code decodes as in ml_dtypes") {
  const auto expected = golden<uint32_t>("decode_e8m0.u32");
  for (int code = 0; code < 256; ++code) require_same(f32_from_e8m0(uint8_t(code)), expected[code]);
}

TEST_CASE("scaling by two E8M0 codes is one rounding of the exact product") {
  std::mt19937 random(950);
  for (int i = 0; i < 20000; ++i) {
    const float x = float_of(uint32_t(random()));
    const auto a = uint8_t(random()), b = uint8_t(i % 2 ? 127 : random());
    const float expected = a == 255 || b == 255 ? NAN : float(std::ldexp(double(x), a + b - 254));
    if (bits_of(scaled_by_e8m0(x, a, b)) != bits_of(expected) &&
        !(std::isnan(expected) && std::isnan(scaled_by_e8m0(x, a, b))))
      FAIL_CHECK(x << " scaled by " << int(a) << " and " << int(b));
  }
  CHECK(bits_of(scaled_by_e8m0(1.0f, 255)) == 0x7fc00000);
  CHECK(scaled_by_e8m0(3.0f, 130, 120) == 3.0f / 16);
}

TEST_CASE("E8M0 of a value is its exponent, rounded down") {
  for (float x : {1.0f, 1.99f, -2.0f, 0.75f, 448.0f, 3.4e38f, 1.2e-38f}) {
    int exponent;
    std::frexp(x, &exponent);
    CHECK(e8m0_floor_from_f32(x) == exponent - 1 + 127);
  }
  CHECK(e8m0_floor_from_f32(0.0f) == 0);
  CHECK(e8m0_floor_from_f32(1e-45f) == 0);
  CHECK(e8m0_floor_from_f32(INFINITY) == e8m0_nan);
}

TEST_CASE("every f16 code decodes as in numpy") {
  const auto runs = golden<uint32_t>("decode_f16.u32"); // first code, bits, step
  int checked = 0;
  for (size_t run = 0; run < runs.size(); run += 3) {
    const uint32_t end = run + 3 < runs.size() ? runs[run + 3] : 0x7c01;
    for (uint32_t code = runs[run]; code < end; ++code, ++checked) {
      const uint32_t expected = runs[run + 1] + (code - runs[run]) * runs[run + 2];
      if (bits_of(f32_from_f16(uint16_t(code))) != expected) FAIL_CHECK("f16 code " << code);
      if (bits_of(f32_from_f16(uint16_t(code | 0x8000))) != (expected | f32_sign_mask))
        FAIL_CHECK("negative f16 code " << code);
    }
  }
  CHECK(checked == 0x7c01);
  for (uint32_t code = 0x7c01; code < 0x8000; ++code) { // NaN: quiet, payload in the upper bits
    CHECK(bits_of(f32_from_f16(uint16_t(code))) == (f32_infinity | f32_quiet_bit | (code & 0x3ffu) << 13));
    CHECK(std::signbit(f32_from_f16(uint16_t(code | 0x8000))));
  }
}

TEST_CASE("every bf16 code decodes to its definition") {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const int exponent = code >> 7 & 0xff, mantissa = code & 0x7f;
    const float x = f32_from_bf16(uint16_t(code));
    if (exponent == 255) {
      if (mantissa ? !std::isnan(x) : !std::isinf(x)) FAIL_CHECK("bf16 code " << code);
      continue;
    }
    const double magnitude =
        exponent ? std::ldexp(128 + mantissa, exponent - 134) : std::ldexp(mantissa, -133);
    if (x != float(code >> 15 ? -magnitude : magnitude) || std::signbit(x) != bool(code >> 15))
      FAIL_CHECK("bf16 code " << code);
  }
}

TEST_CASE("every f16 and bf16 pattern encodes to the small formats as in ml_dtypes") {
  for (const Small& format : small_formats)
    for (bool saturate : {false, true}) {
      if (saturate && !format.saturated_variant) continue;
      const std::string tail = format.name + (saturate ? "_saturated.u16" : ".u16");
      const auto encode = [&](float x) { return format.encode(x, saturate, e8m0_one); };
      check_runs("runs_f16_" + tail, f32_from_f16, encode);
      check_runs("runs_bf16_" + tail, f32_from_bf16, encode);
    }
}

TEST_CASE("f32 encodes around every rounding boundary as in ml_dtypes") {
  for (const Small& format : small_formats)
    for (bool saturate : {false, true}) {
      if (saturate && !format.saturated_variant) continue;
      const auto table = golden<uint32_t>("encode_" + format.name + (saturate ? "_saturated.u32" : ".u32"));
      for (size_t i = 0; i < table.size(); i += 2) {
        INFO(format.name << " of " << float_of(table[i]) << " saturate " << saturate);
        CHECK(format.encode(float_of(table[i]), saturate, e8m0_one) == table[i + 1]);
      }
    }
}

TEST_CASE("f32 encodes to f16 and bf16 as in numpy and ml_dtypes") {
  const auto f16 = golden<uint32_t>("encode_f16.u32"), bf16 = golden<uint32_t>("encode_bf16.u32");
  for (size_t i = 0; i < f16.size(); i += 2) {
    INFO("f16 of " << float_of(f16[i]));
    CHECK(f16_from_f32(float_of(f16[i])) == f16[i + 1]);
  }
  for (size_t i = 0; i < bf16.size(); i += 2) {
    INFO("bf16 of " << float_of(bf16[i]));
    CHECK(bf16_from_f32(float_of(bf16[i])) == bf16[i + 1]);
  }
}

TEST_CASE("every f16 rounding boundary agrees with the compiler's own conversion") {
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    const double low = f32_from_f16(uint16_t(code)),
                 high = code == 0x7bff ? 65536 : f32_from_f16(uint16_t(code + 1));
    const float middle = float((low + high) / 2);
    for (float x : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, INFINITY)}) {
      if (f16_from_f32(x) != std::bit_cast<uint16_t>(_Float16(x))) FAIL_CHECK("f16 of " << x);
      if (f16_from_f32_toward_zero(x) != (x < high ? code : code + 1)) FAIL_CHECK("f16 toward zero of " << x);
    }
  }
}

TEST_CASE("a scale is applied before the one rounding") {
  for (const Small& format : small_formats) {
    const auto table = golden<uint32_t>("scaled_" + format.name + ".u32");
    for (size_t i = 0; i < table.size(); i += 3) {
      INFO(format.name << " of " << float_of(table[i]) << " scale " << table[i + 1]);
      CHECK(format.encode(float_of(table[i]), false, uint8_t(table[i + 1])) == table[i + 2]);
    }
  }
}

TEST_CASE("stochastic rounding adds the upper seed bits and truncates") {
  for (const Small& format : small_formats) {
    const auto table = golden<uint32_t>("stochastic_" + format.name + ".u32");
    for (size_t i = 0; i < table.size(); i += 3) {
      INFO(format.name << " of " << float_of(table[i]) << " seed " << table[i + 1]);
      CHECK(format.stochastic(float_of(table[i]), table[i + 1]) == table[i + 2]);
    }
  }
}

TEST_CASE("stochastic rounding of f16 and bf16 is unbiased and carries into the exponent") {
  std::mt19937 random(7);
  const float x = 1.0f + 0.3f / 1024; // 0.3 of the way to the next f16
  int up = 0;
  for (int i = 0; i < 10000; ++i) up += f16_from_f32_stochastic(x, random()) == 0x3c01;
  CHECK(up == Approx(3000).margin(200));
  CHECK(f16_from_f32_stochastic(std::nextafter(2.0f, 0.0f), 0xffffffffu) == 0x4000);
  CHECK(bf16_from_f32_stochastic(std::nextafter(2.0f, 0.0f), 0xffffffffu) == 0x4000);
  CHECK(bf16_from_f32_stochastic(std::nextafter(2.0f, 0.0f), 0) == 0x3fff);
  CHECK(bf16_from_f32_stochastic(INFINITY, 0xffffffffu) == 0x7f80);
}

TEST_CASE("NaN, infinity and overflow follow the facts' table (4.1)") {
  const float nan = float_of(0xffc00000u), beyond = 1e9f;
  CHECK(fp8_from_f32(nan, false) == 0xff);
  CHECK(fp8_from_f32(nan, true) == 0xff);
  CHECK(fp8_from_f32(-INFINITY, true) == 0xfe);
  CHECK(fp8_from_f32(-INFINITY, false) == 0xff);
  CHECK(fp8_from_f32(beyond, true) == 0x7e);
  CHECK(fp8_from_f32(beyond, false) == 0x7f);
  CHECK(fp8_from_f32(464.0f, false) == 0x7e);
  CHECK(bf8_from_f32(nan, true) == 0xff);
  CHECK(bf8_from_f32(INFINITY, true) == 0x7b);
  CHECK(bf8_from_f32(-INFINITY, false) == 0xfc);
  CHECK(bf8_from_f32(61440.0f, false) == 0x7c);
  CHECK(bf8_from_f32(beyond, true) == 0x7b);
  CHECK(fp8_from_f32(INFINITY, true, 254) == 0x7e); // a scale does not make infinity finite
  CHECK(fp6_from_f32(-INFINITY) == 0x3f);
  CHECK(fp4_from_f32(nan) == 0xf);
  CHECK(f16_from_f32(beyond, true) == 0x7bff);
  CHECK(f16_from_f32(INFINITY, true) == 0x7c00);
  CHECK(f16_from_f32(float_of(0x7f800001u)) == 0x7e00);
  CHECK(bf16_from_f32(float_of(0x7f800001u)) == 0x7f81);
  CHECK(bf16_from_f32(float_of(0x7fc10000u)) == 0x7fc1);
}

TEST_CASE("the LFSR step of v_prng_b32 (facts 4.3)") {
  CHECK(prng_b32(0) == 0);
  CHECK(prng_b32(1) == 2);
  CHECK(prng_b32(0x80000000u) == 0xc5);
  CHECK(prng_b32(0xc0000001u) == (0x80000002u ^ 0xc5u));
}

// OCP Microscaling Formats (MX) v1.0, table 5: S1E2M1, bias 1, one subnormal (0.5), neither infinity nor NaN.
TEST_CASE("fp4 is the sixteen values of E2M1, and two of them are a byte, the first in its lower half") {
  constexpr float table[16] = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                               -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
  for (int pair = 0; pair < 256; ++pair) {
    const auto byte = uint8_t(pair);
    CHECK(bits_of(f32_from_fp4(fp4_code(byte, 6))) == bits_of(table[pair % 16]));
    CHECK(bits_of(f32_from_fp4(fp4_code(byte, 7))) == bits_of(table[pair / 16]));
    const uint8_t first = with_fp4_code(0, 6, uint8_t(pair % 16));
    CHECK(with_fp4_code(first, 7, uint8_t(pair / 16)) == byte);
    CHECK(with_fp4_code(byte, 6, 5) == (pair / 16 * 16 + 5)); // the other half stays
    CHECK(with_fp4_code(byte, 7, 5) == (5 * 16 + pair % 16));
  }
  for (int code = 0; code < 16; ++code) CHECK(fp4_from_f32(table[code]) == code);
}
