// f64 matrix instructions against chains of std::fma, registers by mfma_gfx950.md sections 2.3 and 2.4.
#include "tests/emulator/mfma_case.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE("mfma: f64 shapes, signs and constants") {
  OneWave wave;
  Random random;
  double a[4][16][4], b[4][16][4];
  const auto number = [&] { return double(int32_t(random())) / 65536; };
  SECTION("16x16x4") {
    double c[16][16];
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < 4; ++k) {
        a[0][i][k] = number(), b[0][i][k] = number();
        wave.set_lane64(0, i + 16 * k, std::bit_cast<uint64_t>(a[0][i][k]));
        wave.set_lane64(2, i + 16 * k, std::bit_cast<uint64_t>(b[0][i][k]));
      }
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        c[i][j] = number();
        wave.set_lane64(8 + 2 * (i / 4), j + 16 * (i % 4), std::bit_cast<uint64_t>(c[i][j]));
      }
    wave.run("v_mfma_f64_16x16x4_f64 v[16:23], v[0:1], v[2:3], v[8:15]\n"
             "v_mfma_f64_16x16x4_f64 v[24:31], v[0:1], v[2:3], v[8:15] neg:[1,0,1]\n"
             "v_mfma_f64_16x16x4_f64 v[32:39], v[0:1], v[2:3], 0.5");
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        const auto d = [&](int vgpr) {
          return std::bit_cast<double>(wave.lane64(vgpr + 2 * (i / 4), j + 16 * (i % 4)));
        };
        const auto chain = [&](double sign, double start) {
          for (int k = 0; k < 4; ++k) start = std::fma(sign * a[0][i][k], b[0][j][k], start);
          return start;
        };
        CHECK(d(16) == chain(1, c[i][j]));
        CHECK(d(24) == chain(-1, -c[i][j]));
        CHECK(d(32) == chain(1, 0.5));
      }
  }
  SECTION("4x4x4, four blocks") {
    for (int block = 0; block < 4; ++block)
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) {
          a[block][i][k] = number(), b[block][i][k] = number();
          wave.set_lane64(0, i + 4 * (block + 4 * k), std::bit_cast<uint64_t>(a[block][i][k]));
          wave.set_lane64(2, i + 4 * (block + 4 * k), std::bit_cast<uint64_t>(b[block][i][k]));
        }
    wave.run("v_mfma_f64_4x4x4_4b_f64 v[4:5], v[0:1], v[2:3], 0");
    for (int block = 0; block < 4; ++block)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          double sum = 0;
          for (int k = 0; k < 4; ++k) sum = std::fma(a[block][i][k], b[block][j][k], sum);
          CHECK(std::bit_cast<double>(wave.lane64(4, j + 4 * block + 16 * i)) == sum);
        }
  }
}
