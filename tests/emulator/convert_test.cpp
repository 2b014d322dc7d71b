// Conversions among integers, f16, bf16, f32 and f64 against C++ arithmetic on doubles.
#include "numerics/formats.hpp"
#include "tests/emulator/convert_case.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::test;
using numerics::bits_of;
using numerics::float_of;

namespace {

using Scalar = std::function<uint32_t(uint32_t)>;

void check(const std::string& instruction, const std::vector<Inputs>& inputs, const Scalar& expected) {
  check_conversion(instruction + " {d}, {0}", inputs, 1,
                   [&](const Inputs& in) -> std::array<uint32_t, 2> { return {expected(in[0])}; });
}
/// Truncation into [low, high], NaN to 0: the ISA's float to integer conversions.
uint32_t to_integer(double x, double low, double high) {
  return std::isnan(x) ? 0 : uint32_t(int64_t(std::clamp(std::trunc(x), low, high)));
}
constexpr double i32_low = -2147483648.0, i32_high = 2147483647.0, u32_high = 4294967295.0;

std::vector<Inputs> doubles() {
  std::vector<Inputs> inputs;
  const auto add = [&](double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    inputs.push_back({uint32_t(bits), uint32_t(bits >> 32)});
  };
  std::mt19937_64 random(950);
  for (double x : {0.0, 0.5, 1.0, 1.5, 2147483647.0, 2147483647.5, 2147483648.0, 2147483648.5, 2147483649.0,
                   4294967295.0, 4294967295.9, 4294967296.0, 1e300, 1e-300, 3.4028235677973366e38, 1e-45,
                   7e-46, 1.1754943e-38, double(INFINITY)})
    add(x), add(-x);
  add(NAN);
  for (int i = 0; i < 1500; ++i) {
    add(std::bit_cast<double>(random()));
    add(std::ldexp(double(int64_t(random())), int(random() % 64) - 63));
  }
  return inputs;
}
double double_of(const Inputs& in) { return std::bit_cast<double>(uint64_t(in[1]) << 32 | in[0]); }

bool is_f16_nan(uint32_t code) { return (code & 0x7fff) > 0x7c00; }

} // namespace

TEST_CASE("convert: integers to floats, rounded to nearest even") {
  const auto inputs = one_source(f32_patterns());
  check("v_cvt_f32_i32", inputs, [](uint32_t x) { return bits_of(float(double(int32_t(x)))); });
  check("v_cvt_f32_u32", inputs, [](uint32_t x) { return bits_of(float(double(x))); });
  for (int byte = 0; byte < 4; ++byte)
    check("v_cvt_f32_ubyte" + std::to_string(byte), inputs,
          [byte](uint32_t x) { return bits_of(float(x >> 8 * byte & 255)); });
  check("v_cvt_off_f32_i4", all_codes(64),
        [](uint32_t x) { return bits_of(float((int(x & 15) ^ 8) - 8) / 16); });
  for (bool is_signed : {true, false})
    check_conversion(std::string("v_cvt_f64_") + (is_signed ? "i32" : "u32") + " {d:1}, {0}", inputs, 2,
                     [&](const Inputs& in) -> std::array<uint32_t, 2> {
                       const auto bits =
                           std::bit_cast<uint64_t>(is_signed ? double(int32_t(in[0])) : double(in[0]));
                       return {uint32_t(bits), uint32_t(bits >> 32)};
                     });
}

TEST_CASE("convert: floats to integers truncate and saturate, NaN gives 0") {
  const auto inputs = one_source(f32_patterns());
  check("v_cvt_i32_f32", inputs, [](uint32_t x) { return to_integer(float_of(x), i32_low, i32_high); });
  check("v_cvt_u32_f32", inputs, [](uint32_t x) { return to_integer(float_of(x), 0, u32_high); });
  check("v_cvt_flr_i32_f32", inputs,
        [](uint32_t x) { return to_integer(std::floor(float_of(x)), i32_low, i32_high); });
  check("v_cvt_rpi_i32_f32", inputs,
        [](uint32_t x) { return to_integer(std::floor(float_of(x) + 0.5f), i32_low, i32_high); });
  for (bool is_signed : {true, false})
    check_conversion(
        std::string("v_cvt_") + (is_signed ? "i32" : "u32") + "_f64 {d}, {0:1}", doubles(), 1,
        [&](const Inputs& in) -> std::array<uint32_t, 2> {
          return {to_integer(double_of(in), is_signed ? i32_low : 0, is_signed ? i32_high : u32_high)};
        });
}

TEST_CASE("convert: f32 and f64") {
  check_conversion("v_cvt_f32_f64 {d}, {0:1}", doubles(), 1, [](const Inputs& in) -> std::array<uint32_t, 2> {
    const double x = double_of(in);
    return {std::isnan(x) ? uint32_t(in[1] & 0x80000000) | 0x7fc00000u | (in[1] & 0x7ffff) << 3 | in[0] >> 29
                          : bits_of(float(x))};
  });
  check_conversion("v_cvt_f64_f32 {d:1}, {0}", one_source(f32_patterns()), 2,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     uint64_t bits = std::bit_cast<uint64_t>(double(float_of(in[0])));
                     if (std::isnan(float_of(in[0])))
                       bits = uint64_t(in[0] & 0x80000000) << 32 | 0x7ff8000000000000 |
                              uint64_t(in[0] & 0x7fffff) << 29;
                     return {uint32_t(bits), uint32_t(bits >> 32)};
                   });
}

TEST_CASE("convert: every f16 and bf16 pattern to f32 and integers") {
  const auto codes = all_codes(0x10000);
  check("v_cvt_f32_f16", codes, [](uint32_t x) { return bits_of(numerics::f32_from_f16(uint16_t(x))); });
  check("v_cvt_f32_bf16", codes, [](uint32_t x) { return x << 16; });
  check("v_cvt_u16_f16", codes,
        [](uint32_t x) { return to_integer(numerics::f32_from_f16(uint16_t(x)), 0, 65535); });
  check("v_cvt_i16_f16", codes,
        [](uint32_t x) { return to_integer(numerics::f32_from_f16(uint16_t(x)), -32768, 32767) & 0xffff; });
  check("v_cvt_f16_u16", codes, [](uint32_t x) { return uint32_t(numerics::f16_from_f32(float(x))); });
  check("v_cvt_f16_i16", codes,
        [](uint32_t x) { return uint32_t(numerics::f16_from_f32(float(int16_t(x)))); });
  const auto normalised = [](uint32_t x, double low, double scale) {
    const double value = numerics::f32_from_f16(uint16_t(x));
    return uint32_t(is_f16_nan(x) ? 0 : int(std::nearbyint(std::clamp(value, low, 1.0) * scale))) & 0xffff;
  };
  check("v_cvt_norm_i16_f16", codes, [&](uint32_t x) { return normalised(x, -1, 32767); });
  check("v_cvt_norm_u16_f16", codes, [&](uint32_t x) { return normalised(x, 0, 65535); });
}

TEST_CASE("convert: f32 to f16, with and without FP16_OVFL, packed and toward zero") {
  for (bool saturate : {false, true})
    check_conversion(
        "v_cvt_f16_f32 {d}, {0}", one_source(f32_patterns(4000)), 1,
        [&](const Inputs& in) -> std::array<uint32_t, 2> {
          return {numerics::f16_from_f32(float_of(in[0]), saturate)};
        },
        0xF0 | uint32_t(saturate) << 23);
  std::vector<Inputs> pairs;
  const auto patterns = f32_patterns();
  for (size_t i = 0; i < patterns.size(); ++i)
    pairs.push_back({patterns[i], patterns[patterns.size() - 1 - i]});
  check_conversion("v_cvt_pkrtz_f16_f32 {d}, {0}, {1}", pairs, 1,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {numerics::f16_from_f32_toward_zero(float_of(in[0])) |
                             uint32_t(numerics::f16_from_f32_toward_zero(float_of(in[1]))) << 16};
                   });
  const auto norm = [](uint32_t x, double low, double scale) {
    const double value = float_of(x);
    return uint32_t(std::isnan(value) ? 0 : int(std::nearbyint(std::clamp(value, low, 1.0) * scale))) &
           0xffff;
  };
  check_conversion("v_cvt_pknorm_i16_f32 {d}, {0}, {1}", pairs, 1,
                   [&](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {norm(in[0], -1, 32767) | norm(in[1], -1, 32767) << 16};
                   });
  check_conversion("v_cvt_pknorm_u16_f32 {d}, {0}, {1}", pairs, 1,
                   [&](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {norm(in[0], 0, 65535) | norm(in[1], 0, 65535) << 16};
                   });
  check_conversion("v_cvt_pk_u16_u32 {d}, {0}, {1}", pairs, 1,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {std::min(in[0], 0xffffu) | std::min(in[1], 0xffffu) << 16};
                   });
  check_conversion("v_cvt_pk_i16_i32 {d}, {0}, {1}", pairs, 1,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     const auto limited = [](uint32_t x) {
                       return uint32_t(std::clamp(int32_t(x), -32768, 32767)) & 0xffff;
                     };
                     return {limited(in[0]) | limited(in[1]) << 16};
                   });
  check_conversion("v_cvt_pk_u8_f32 {d}, {0}, 2, {1}", pairs, 1,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {(in[1] & 0xff00ffff) | to_integer(float_of(in[0]), 0, 255) << 16};
                   });
  check_conversion("v_cvt_pkaccum_u8_f32 {d}, {0}, 1", pairs, 1,
                   [](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {(old_destination & 0xffff00ff) | to_integer(float_of(in[0]), 0, 255) << 8};
                   });
  const auto norm16 = [&](uint32_t x, double low, double scale) {
    return norm(bits_of(numerics::f32_from_f16(uint16_t(x))), low, scale);
  };
  check_conversion("v_cvt_pknorm_i16_f16 {d}, {0}, {1}", pairs, 1,
                   [&](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {norm16(in[0], -1, 32767) | norm16(in[1], -1, 32767) << 16};
                   });
  check_conversion("v_cvt_pknorm_u16_f16 {d}, {0}, {1}", pairs, 1,
                   [&](const Inputs& in) -> std::array<uint32_t, 2> {
                     return {norm16(in[0], 0, 65535) | norm16(in[1], 0, 65535) << 16};
                   });
}

TEST_CASE("convert: bytes are rounded to nearest even where the device's option says so") {
  std::vector<float> values = {NAN, INFINITY, -INFINITY, -0.5f, -0.51f, 254.5f, 255.5f, 300};
  for (int halves = 0; halves < 24; ++halves)
    for (const float beside : {-0.001f, 0.0f, 0.001f}) values.push_back(float(halves) / 2 + beside);
  for (const bool nearest : {false, true}) {
    OneWave wave;
    wave.options().bytes_to_nearest = nearest;
    for (const float value : values) {
      wave.lane_f32(0, 5) = value;
      wave.lane(1, 5) = 0x11223344;
      wave.run("v_cvt_pk_u8_f32 v6, v0, 2, v1");
      const double whole = nearest ? std::nearbyint(double(value)) : double(value);
      CAPTURE(value, nearest);
      CHECK(wave.lane(6, 5) == (0x11003344 | to_integer(whole, 0, 255) << 16));
    }
  }
}
