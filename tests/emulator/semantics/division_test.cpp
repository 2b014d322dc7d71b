// The division macro as LLVM expands it (AMDGPU: LowerFDIV32, LowerFDIV64),
// whose quotients are correctly rounded, against the host's division;
// and base-2 functions of the legacy forms against its mathematics library.
#include "tests/emulator/memory_case.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

namespace {

template <class T> T operand(std::mt19937_64& random) {
  const uint64_t bits = random();
  if (random() % 4) {
    T value; // any exponent, denormals and specials too
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  constexpr T edges[] = {0,
                         -T(0),
                         1,
                         3,
                         std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::max(),
                         std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::denorm_min(),
                         -std::numeric_limits<T>::max()};
  return edges[bits % std::size(edges)];
}
template <class T> bool same(T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

} // namespace

TEST_CASE("f32 division macro") {
  std::mt19937_64 random(950);
  const Code code(
      "v_div_scale_f32 v4, s[20:21], v1, v1, v0\nv_div_scale_f32 v5, vcc, v0, v1, v0\nv_rcp_f32 v6, v4\n"
      "v_fma_f32 v7, -v4, v6, 1.0\nv_fma_f32 v6, v7, v6, v6\nv_mul_f32 v8, v5, v6\n"
      "v_fma_f32 v9, -v4, v8, v5\nv_fma_f32 v8, v9, v6, v8\nv_fma_f32 v4, -v4, v8, v5\n"
      "v_div_fmas_f32 v4, v4, v6, v8\nv_div_fixup_f32 v10, v4, v1, v0");
  for (int round = 0; round < 100; ++round) {
    OneWave w;
    for (int l = 0; l < 64; ++l)
      for (int v = 0; v < 2; ++v) w.lane_f32(v, l) = operand<float>(random);
    w.run(code);
    for (int l = 0; l < 64; ++l) {
      INFO(w.lane_f32(0, l) << " / " << w.lane_f32(1, l) << " = " << w.lane_f32(10, l));
      REQUIRE(same(w.lane_f32(10, l), w.lane_f32(0, l) / w.lane_f32(1, l)));
    }
  }
}

TEST_CASE("f64 division macro") {
  std::mt19937_64 random(950);
  const Code code("v_div_scale_f64 v[4:5], s[20:21], v[2:3], v[2:3], v[0:1]\n"
                  "v_div_scale_f64 v[16:17], vcc, v[0:1], v[2:3], v[0:1]\nv_rcp_f64 v[6:7], v[4:5]\n"
                  "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\nv_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]\n"
                  "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\nv_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]\n"
                  "v_mul_f64 v[10:11], v[16:17], v[6:7]\nv_fma_f64 v[4:5], -v[4:5], v[10:11], v[16:17]\n"
                  "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]\n"
                  "v_div_fixup_f64 v[12:13], v[4:5], v[2:3], v[0:1]");
  for (int round = 0; round < 100; ++round) {
    OneWave w;
    double numerator[64], denominator[64];
    for (int l = 0; l < 64; ++l) {
      numerator[l] = operand<double>(random);
      denominator[l] = operand<double>(random);
      w.set_lane64(0, l, std::bit_cast<uint64_t>(numerator[l]));
      w.set_lane64(2, l, std::bit_cast<uint64_t>(denominator[l]));
    }
    w.run(code);
    for (int l = 0; l < 64; ++l) {
      const auto quotient = std::bit_cast<double>(w.lane64(12, l));
      INFO(numerator[l] << " / " << denominator[l] << " = " << quotient);
      REQUIRE(same(quotient, numerator[l] / denominator[l]));
    }
  }
}

TEST_CASE("legacy exponential and logarithm within 1 ulp") {
  OneWave w;
  for (int l = 0; l < 64; ++l) w.lane_f32(0, l) = static_cast<float>(l) * 1.37f - 40;
  w.run("v_exp_legacy_f32 v1, v0\nv_log_legacy_f32 v2, v1");
  for (int l = 0; l < 64; ++l) {
    const double power = std::exp2(static_cast<double>(w.lane_f32(0, l)));
    REQUIRE(std::fabs(w.lane_f32(1, l) - power) <= power * 0x1p-22);
    const double logarithm = std::log2(static_cast<double>(w.lane_f32(1, l)));
    REQUIRE(std::fabs(w.lane_f32(2, l) - logarithm) <= std::fabs(logarithm) * 0x1p-22);
  }
}
