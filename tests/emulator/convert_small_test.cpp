// Conversions to and from fp8, bf8, fp6, bf6, fp4 and bf16, scaled and not: placement, selectors, seeds and
// overflow flag. The values come from numerics, which is tested against ml_dtypes.
#include "numerics/formats.hpp"
#include "tests/emulator/convert_case.hpp"

using namespace fmha950;
using namespace fmha950::test;
using namespace fmha950::numerics;

namespace {

using Result = std::array<uint32_t, 2>;

/// Values around and beyond the small formats' ranges in registers 0 and 1, random bits in 2, and in 3 a
/// scale that brings the values into range.
std::vector<Inputs> scaled_inputs(bool random_scale) {
  std::vector<Inputs> inputs;
  std::mt19937 random(950);
  const auto patterns = f32_patterns();
  for (uint32_t p : patterns) {
    const int exponent = int(p >> 23 & 255);
    const int scale = random_scale ? std::clamp(exponent + int(random() % 24) - 12, 0, 255) : 127;
    const uint32_t other =
        bits_of(std::ldexp(float(int32_t(random())), scale - 127 - 30 + int(random() % 8)));
    inputs.push_back({p, other, uint32_t(random()), uint32_t(scale) << 23 | uint32_t(random() & 0x807fffff)});
  }
  return inputs;
}
uint8_t scale_of(const Inputs& in) { return uint8_t(in[3] >> 23); }
float value_of(uint32_t bits, const Inputs& in) { return scale_of(in) == 255 ? NAN : float_of(bits); }

/// A 16-bit wide type.
struct Wide {
  std::string name;
  float (*decode)(uint32_t);
  uint32_t (*encode)(float);
};
const std::vector<Wide> wide_types = {
    {"f16", [](uint32_t c) { return f32_from_f16(uint16_t(c)); },
     [](float x) { return uint32_t(f16_from_f32(x)); }},
    {"bf16", [](uint32_t c) { return f32_from_bf16(uint16_t(c)); },
     [](float x) { return uint32_t(bf16_from_f32(x)); }},
};
struct Small {
  std::string name;
  int width;
  uint32_t (*nearest)(float, uint8_t scale, bool saturate);
  uint32_t (*stochastic)(float, uint32_t seed, uint8_t scale, bool saturate);
  float (*decode)(uint32_t);
};
const std::vector<Small> bytes = {
    {"fp8", 8, [](float x, uint8_t s, bool sat) { return uint32_t(fp8_from_f32(x, sat, s)); },
     [](float x, uint32_t r, uint8_t s, bool sat) { return uint32_t(fp8_from_f32_stochastic(x, r, sat, s)); },
     [](uint32_t c) { return f32_from_fp8(uint8_t(c)); }},
    {"bf8", 8, [](float x, uint8_t s, bool sat) { return uint32_t(bf8_from_f32(x, sat, s)); },
     [](float x, uint32_t r, uint8_t s, bool sat) { return uint32_t(bf8_from_f32_stochastic(x, r, sat, s)); },
     [](uint32_t c) { return f32_from_bf8(uint8_t(c)); }}};
const std::vector<Small> sixes = {
    {"fp6", 6, [](float x, uint8_t s, bool) { return uint32_t(fp6_from_f32(x, s)); },
     [](float x, uint32_t r, uint8_t s, bool) { return uint32_t(fp6_from_f32_stochastic(x, r, s)); },
     [](uint32_t c) { return f32_from_fp6(uint8_t(c)); }},
    {"bf6", 6, [](float x, uint8_t s, bool) { return uint32_t(bf6_from_f32(x, s)); },
     [](float x, uint32_t r, uint8_t s, bool) { return uint32_t(bf6_from_f32_stochastic(x, r, s)); },
     [](uint32_t c) { return f32_from_bf6(uint8_t(c)); }}};
uint32_t fp4_pair(float low, float high, uint8_t scale) {
  return fp4_from_f32(low, scale) | uint32_t(fp4_from_f32(high, scale)) << 4;
}

uint32_t with_half(uint32_t value, int half) {
  return half ? (old_destination & 0xffff) | value << 16 : (old_destination & 0xffff0000) | value;
}
uint32_t with_byte(uint32_t value, int byte) {
  return (old_destination & ~(0xffu << 8 * byte)) | value << 8 * byte;
}

std::string op_sel(std::initializer_list<int> bits) {
  std::string text = " op_sel:[";
  for (int bit : bits) text += std::to_string(bit) + ",";
  text.back() = ']';
  return text;
}
uint32_t mode_of(bool saturate) { return 0xF0 | uint32_t(saturate) << 23; }

} // namespace

TEST_CASE("convert: f32 to fp8 and bf8, nearest and stochastic") {
  const auto inputs = scaled_inputs(false);
  for (const Small& to : bytes)
    for (bool saturate : {false, true}) {
      for (int half : {0, 1})
        check_conversion(
            "v_cvt_pk_" + to.name + "_f32 {d}, {0}, {1}" + (half ? op_sel({0, 0, 1}) : ""), inputs, 1,
            [&](const Inputs& in) -> Result {
              const uint32_t low = to.nearest(float_of(in[0]), 127, saturate);
              return {with_half(low | to.nearest(float_of(in[1]), 127, saturate) << 8, half)};
            },
            mode_of(saturate));
      for (int byte = 0; byte < 4; ++byte)
        check_conversion(
            "v_cvt_sr_" + to.name + "_f32 {d}, {0}, {2}" + (byte ? op_sel({0, 0, byte & 1, byte >> 1}) : ""),
            inputs, 1,
            [&](const Inputs& in) -> Result {
              return {with_byte(to.stochastic(float_of(in[0]), in[2], 127, saturate), byte)};
            },
            mode_of(saturate));
    }
  check_conversion("v_cvt_pk_fp8_f32 {d}, -{0}, |{1}|", inputs, 1, [](const Inputs& in) -> Result {
    const uint32_t low = fp8_from_f32(float_of(in[0] ^ 0x80000000), false);
    return {with_half(low | uint32_t(fp8_from_f32(float_of(in[1] & 0x7fffffff), false)) << 8, 0)};
  });
}

TEST_CASE("convert: every fp8 and bf8 code to f32, by each selector") {
  std::vector<Inputs> inputs;
  for (uint32_t code = 0; code < 256; ++code)
    inputs.push_back({code | (code ^ 0x55) << 8 | (255 - code) << 16 | (code * 7 & 255) << 24});
  for (const Small& from : bytes) {
    const auto byte = [&](const Inputs& in, int n) { return bits_of(from.decode(in[0] >> 8 * n & 255)); };
    check_conversion("v_cvt_f32_" + from.name + " {d}, {0}", inputs, 1,
                     [&](const Inputs& in) -> Result { return {byte(in, 0)}; });
    for (int n = 0; n < 4; ++n)
      check_conversion("v_cvt_f32_" + from.name + "_sdwa {d}, {0} src0_sel:BYTE_" + std::to_string(n), inputs,
                       1, [&](const Inputs& in) -> Result { return {byte(in, n)}; });
    check_conversion("v_cvt_pk_f32_" + from.name + " {d:1}, {0}", inputs, 2,
                     [&](const Inputs& in) -> Result { return {byte(in, 0), byte(in, 1)}; });
    check_conversion("v_cvt_pk_f32_" + from.name + "_sdwa {d:1}, {0} src0_sel:WORD_1", inputs, 2,
                     [&](const Inputs& in) -> Result { return {byte(in, 2), byte(in, 3)}; });
  }
}

TEST_CASE("convert: f32 to bf16 and f16 pairs, nearest and stochastic") {
  const auto inputs = scaled_inputs(false);
  for (const Wide& to : wide_types)
    check_conversion("v_cvt_pk_" + to.name + "_f32 {d}, {0}, {1}", inputs, 1,
                     [&](const Inputs& in) -> Result {
                       return {to.encode(float_of(in[0])) | to.encode(float_of(in[1])) << 16};
                     });
  for (int half : {0, 1}) {
    const std::string tail = " {d}, {0}, {2}" + (half ? op_sel({0, 0, 1}) : "");
    check_conversion("v_cvt_sr_bf16_f32" + tail, inputs, 1, [&](const Inputs& in) -> Result {
      return {with_half(bf16_from_f32_stochastic(float_of(in[0]), in[2]), half)};
    });
    check_conversion("v_cvt_sr_f16_f32" + tail, inputs, 1, [&](const Inputs& in) -> Result {
      return {with_half(f16_from_f32_stochastic(float_of(in[0]), in[2]), half)};
    });
  }
}

TEST_CASE("convert: scaled, f32 to 8 and 4 bits") {
  const auto inputs = scaled_inputs(true);
  for (const Small& to : bytes)
    for (bool saturate : {false, true}) {
      for (int half : {0, 1})
        check_conversion(
            "v_cvt_scalef32_pk_" + to.name + "_f32 {d}, {0}, {1}, {3}" + (half ? op_sel({0, 0, 0, 1}) : ""),
            inputs, 1,
            [&](const Inputs& in) -> Result {
              const uint32_t low = to.nearest(value_of(in[0], in), scale_of(in), saturate);
              return {with_half(low | to.nearest(value_of(in[1], in), scale_of(in), saturate) << 8, half)};
            },
            mode_of(saturate));
      for (int byte : {0, 3})
        check_conversion(
            "v_cvt_scalef32_sr_" + to.name + "_f32 {d}, {0}, {2}, {3}" + (byte ? op_sel({0, 0, 1, 1}) : ""),
            inputs, 1,
            [&](const Inputs& in) -> Result {
              return {with_byte(to.stochastic(value_of(in[0], in), in[2], scale_of(in), saturate), byte)};
            },
            mode_of(saturate));
    }
  for (int byte = 0; byte < 4; ++byte) {
    const std::string selector = byte ? op_sel({0, 0, byte & 1, byte >> 1}) : "";
    check_conversion("v_cvt_scalef32_pk_fp4_f32 {d}, {0}, {1}, {3}" + selector, inputs, 1,
                     [&](const Inputs& in) -> Result {
                       return {
                           with_byte(fp4_pair(value_of(in[0], in), value_of(in[1], in), scale_of(in)), byte)};
                     });
    check_conversion("v_cvt_scalef32_sr_pk_fp4_f32 {d}, {0:1}, {2}, {3}" + selector, inputs, 1,
                     [&](const Inputs& in) -> Result {
                       const uint32_t low = fp4_from_f32_stochastic(value_of(in[0], in), in[2], scale_of(in));
                       const uint32_t high =
                           fp4_from_f32_stochastic(value_of(in[1], in), prng_b32(in[2]), scale_of(in));
                       return {with_byte(low | high << 4, byte)};
                     });
  }
}

TEST_CASE("convert: scaled, f16 and bf16 pairs to 8 and 4 bits") {
  const auto inputs = scaled_inputs(true);
  for (const Wide& from : wide_types) {
    const auto low = [&](const Inputs& in) { return value_of(bits_of(from.decode(in[0] & 0xffff)), in); };
    const auto high = [&](const Inputs& in) { return value_of(bits_of(from.decode(in[0] >> 16)), in); };
    for (const Small& to : bytes) {
      for (int half : {0, 1})
        check_conversion("v_cvt_scalef32_pk_" + to.name + "_" + from.name + " {d}, {0}, {3}" +
                             (half ? op_sel({0, 0, 1}) : ""),
                         inputs, 1, [&](const Inputs& in) -> Result {
                           const uint32_t first = to.nearest(low(in), scale_of(in), false);
                           return {with_half(first | to.nearest(high(in), scale_of(in), false) << 8, half)};
                         });
      for (int half : {0, 1})
        check_conversion(
            "v_cvt_scalef32_sr_" + to.name + "_" + from.name + " {d}, {0}, {2}, {3}" +
                op_sel({half, 0, 0, 1}),
            inputs, 1, [&](const Inputs& in) -> Result {
              return {with_byte(to.stochastic(half ? high(in) : low(in), in[2], scale_of(in), false), 2)};
            });
    }
    check_conversion("v_cvt_scalef32_pk_fp4_" + from.name + " {d}, {0}, {3}" + op_sel({0, 0, 1, 0}), inputs,
                     1, [&](const Inputs& in) -> Result {
                       return {with_byte(fp4_pair(low(in), high(in), scale_of(in)), 1)};
                     });
    check_conversion("v_cvt_scalef32_sr_pk_fp4_" + from.name + " {d}, {0}, {2}, {3}" + op_sel({0, 0, 0, 1}),
                     inputs, 1, [&](const Inputs& in) -> Result {
                       const uint32_t first = fp4_from_f32_stochastic(low(in), in[2], scale_of(in));
                       const uint32_t second =
                           fp4_from_f32_stochastic(high(in), prng_b32(in[2]), scale_of(in));
                       return {with_byte(first | second << 4, 2)};
                     });
  }
}

TEST_CASE("convert: scaled, small codes to f32, f16 and bf16") {
  std::vector<Inputs> inputs;
  std::mt19937 random(950);
  for (uint32_t code = 0; code < 256; ++code)
    for (uint32_t scale : {0u, 1u, 100u, 120u, 127u, 128u, 140u, 250u, 254u, 255u})
      inputs.push_back({uint32_t(code | random() << 8), 0, 0, scale << 23 | uint32_t(random() & 0x807fffff)});
  for (const Small& from : bytes) {
    const auto byte = [&](const Inputs& in, int n) {
      return scaled_by_e8m0(from.decode(in[0] >> 8 * n & 255), scale_of(in));
    };
    const std::string name = "v_cvt_scalef32_";
    for (int n = 0; n < 4; ++n)
      check_conversion(name + "f32_" + from.name + " {d}, {0}, {3}" + op_sel({n & 1, n >> 1, 0}), inputs, 1,
                       [&](const Inputs& in) -> Result { return {bits_of(byte(in, n))}; });
    for (int word : {0, 1}) {
      check_conversion(name + "pk_f32_" + from.name + " {d:1}, {0}, {3}" + op_sel({word, 0, 0}), inputs, 2,
                       [&](const Inputs& in) -> Result {
                         return {bits_of(byte(in, 2 * word)), bits_of(byte(in, 2 * word + 1))};
                       });
      for (const Wide& to : wide_types)
        check_conversion(name + "pk_" + to.name + "_" + from.name + " {d}, {0}, {3}" + op_sel({word, 0, 0}),
                         inputs, 1, [&](const Inputs& in) -> Result {
                           return {to.encode(byte(in, 2 * word)) | to.encode(byte(in, 2 * word + 1)) << 16};
                         });
    }
    check_conversion(name + "f16_" + from.name + " {d}, {0}, {3}" + op_sel({1, 1, 1}), inputs, 1,
                     [&](const Inputs& in) -> Result { return {with_half(f16_from_f32(byte(in, 3)), 1)}; });
  }
  for (int n = 0; n < 4; ++n) {
    const auto nibble = [&](const Inputs& in, int k) {
      return scaled_by_e8m0(f32_from_fp4(uint8_t(in[0] >> (8 * n + 4 * k) & 15)), scale_of(in));
    };
    const std::string tail = ", {0}, {3}" + op_sel({n & 1, n >> 1, 0});
    check_conversion("v_cvt_scalef32_pk_f32_fp4 {d:1}" + tail, inputs, 2, [&](const Inputs& in) -> Result {
      return {bits_of(nibble(in, 0)), bits_of(nibble(in, 1))};
    });
    for (const Wide& to : wide_types)
      check_conversion("v_cvt_scalef32_pk_" + to.name + "_fp4 {d}" + tail, inputs, 1,
                       [&](const Inputs& in) -> Result {
                         return {to.encode(nibble(in, 0)) | to.encode(nibble(in, 1)) << 16};
                       });
  }
}

TEST_CASE("convert: scaled, 32 elements of 6 bits") {
  // Sources in v[0:31], seed v40, scale v41, results from v64; back again from v64 to v128.
  const auto item = [](OneWave& wave, int vgpr, int lane, int n) {
    uint32_t code = 0;
    for (int bit = 6 * n; bit < 6 * n + 6; ++bit)
      code |= (wave.lane(vgpr + bit / 32, lane) >> bit % 32 & 1) << (bit - 6 * n);
    return code;
  };
  on_every_simd([&] {
    for (const Small& six : sixes) {
      std::mt19937 random(950);
      OneWave wave;
      for (int l = 0; l < 64; ++l) {
        for (int r = 0; r < 32; ++r) {
          const float x = std::ldexp(float(int32_t(random())), int(random() % 10) - 35);
          wave.lane(r, l) = bits_of(x);
          wave.lane(200 + r / 2, l) |= uint32_t(f16_from_f32(x)) << 16 * (r % 2);
          wave.lane(216 + r / 2, l) |= uint32_t(bf16_from_f32(x)) << 16 * (r % 2);
        }
        wave.lane(40, l) = uint32_t(random());
        wave.lane(41, l) = (120 + l % 16) << 23;
      }
      const std::string n = six.name;
      wave.wave().set_exec(~(1ull << 5));
      wave.run("v_cvt_scalef32_2xpk16_" + n + "_f32 v[64:69], v[0:15], v[16:31], v41\n" +
               "v_cvt_scalef32_sr_pk32_" + n + "_f32 v[70:75], v[0:31], v40, v41\n" + "v_cvt_scalef32_pk32_" +
               n + "_f16 v[76:81], v[200:215], v41\n" + "v_cvt_scalef32_pk32_" + n +
               "_bf16 v[82:87], v[216:231], v41\n" + "v_cvt_scalef32_sr_pk32_" + n +
               "_f16 v[88:93], v[200:215], v40, v41\n" + "v_cvt_scalef32_sr_pk32_" + n +
               "_bf16 v[94:99], v[216:231], v40, v41\n" + "v_cvt_scalef32_pk32_f32_" + n +
               " v[100:131], v[64:69], v41\n" + "v_cvt_scalef32_pk32_f16_" + n +
               " v[132:147], v[64:69], v41\n" + "v_cvt_scalef32_pk32_bf16_" + n +
               " v[148:163], v[64:69], v41\n");
      int wrong = 0;
      for (int l = 0; l < 64; ++l) {
        if (l == 5) { // inactive
          for (int r = 64; r < 164; ++r) wrong += wave.lane(r, l) != 0;
          continue;
        }
        uint32_t seed = wave.lane(40, l);
        const auto scale = uint8_t(120 + l % 16);
        for (int k = 0; k < 32; ++k, seed = prng_b32(seed)) {
          const float interleaved = wave.lane_f32(k / 2 + 16 * (k % 2), l), x = wave.lane_f32(k, l);
          const float h = f32_from_f16(uint16_t(wave.lane(200 + k / 2, l) >> 16 * (k % 2)));
          const float b = f32_from_bf16(uint16_t(wave.lane(216 + k / 2, l) >> 16 * (k % 2)));
          wrong += item(wave, 64, l, k) != six.nearest(interleaved, scale, false);
          wrong += item(wave, 70, l, k) != six.stochastic(x, seed, scale, false);
          wrong += item(wave, 76, l, k) != six.nearest(h, scale, false);
          wrong += item(wave, 82, l, k) != six.nearest(b, scale, false);
          wrong += item(wave, 88, l, k) != six.stochastic(h, seed, scale, false);
          wrong += item(wave, 94, l, k) != six.stochastic(b, seed, scale, false);
          const float back = scaled_by_e8m0(six.decode(item(wave, 64, l, k)), scale);
          wrong += wave.lane(100 + k, l) != bits_of(back);
          wrong += (wave.lane(132 + k / 2, l) >> 16 * (k % 2) & 0xffff) != f16_from_f32(back);
          wrong += (wave.lane(148 + k / 2, l) >> 16 * (k % 2) & 0xffff) != bf16_from_f32(back);
        }
      }
      CHECK(wrong == 0);
    }
  });
}
