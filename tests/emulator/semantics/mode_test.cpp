// MODE on instructions that the fuzzer's references do not have, with sums worked out by hand; and
// instructions that ignore it.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

// Round fields: 0 nearest even, 1 up, 2 down, 3 toward zero (machine_gfx950.md section 1.3).
constexpr uint32_t mode_of(uint32_t single, uint32_t half, uint32_t denormals = 0xF) {
  return denormals << 4 | half << 2 | single;
}
uint32_t run(const std::string& text, uint32_t mode, uint32_t a, uint32_t b, uint32_t c,
             uint32_t before = 0) {
  return run_in_lane(text, a, b, c, before, mode);
}
uint32_t single(float x) { return std::bit_cast<uint32_t>(x); }

} // namespace

TEST_CASE("mixed FMA: f32's field rounds the sum, f16's the half") {
  on_every_simd([] {
    for (uint32_t field = 0; field < 4; ++field) {
      CAPTURE(field);
      // 1 + 2^-30, and its negative
      const auto sum = [&](float sign) {
        return run("v_fma_mix_f32 v6, v0, v1, v2", mode_of(field, 0), single(sign), single(1),
                   single(sign * 0x1p-30f));
      };
      CHECK(sum(1) == single(1) + (field == 1));
      CHECK(sum(-1) == single(-1) + (field == 2));
      // 1 + 2^-14 is a f32, not a half.
      const auto half = [&](float sign) {
        return run("v_fma_mixlo_f16 v6, v0, v1, v2", mode_of(0, field), single(sign), single(1),
                   single(sign * 0x1p-14f), 0x12345678);
      };
      CHECK(half(1) == 0x12343C00u + (field == 1));
      CHECK(half(-1) == 0x1234BC00u + (field == 2));
    }
    // Denormals: an f16 source, an f32 source, an f32 result, an f16 result.
    const uint32_t tiny = single(0x1p-127f);
    CHECK(run("v_fma_mix_f32 v6, v0, v1, v2 op_sel_hi:[1,0,0]", mode_of(0, 0, 0xF), 0x0001, single(1), 0) ==
          single(0x1p-24f));
    CHECK(run("v_fma_mix_f32 v6, v0, v1, v2 op_sel_hi:[1,0,0]", mode_of(0, 0, 0xB), 0x0001, single(1), 0) ==
          0);
    CHECK(run("v_fma_mix_f32 v6, v0, v1, v2", mode_of(0, 0, 0xE), tiny, single(4), 0) == 0);
    CHECK(run("v_fma_mix_f32 v6, v0, v1, v2", mode_of(0, 0, 0xD), tiny, single(4), 0) == single(0x1p-125f));
    CHECK(run("v_fma_mix_f32 v6, v0, v1, v2", mode_of(0, 0, 0xD), tiny, single(-1), 0) == 0x80000000);
    CHECK(run("v_fma_mixhi_f16 v6, v0, v1, v2", mode_of(0, 0, 0x7), single(0x1p-16f), single(1), 0) == 0);
    CHECK(run("v_fma_mixhi_f16 v6, v0, v1, v2", mode_of(0, 0, 0xF), single(0x1p-16f), single(1), 0) ==
          0x01000000);
  });
}

TEST_CASE("v_pk_fmac_f16: both halves and the accumulator follow MODE") {
  on_every_simd([] {
    for (uint32_t field = 0; field < 4; ++field) {
      CAPTURE(field);
      // 2^-12 * 1 + {1, -1}
      CHECK(run("v_pk_fmac_f16 v6, v0, v1", mode_of(0, field), 0x8C000C00, 0x3C003C00, 0, 0xBC003C00) ==
            (0x3C00u + (field == 1) | (0xBC00u + (field == 2)) << 16));
    }
    CHECK(run("v_pk_fmac_f16 v6, v0, v1", mode_of(0, 0, 0xB), 0, 0x3C003C00, 0, 0x80010001) == 0);
    CHECK(run("v_pk_fmac_f16 v6, v0, v1", mode_of(0, 0, 0xF), 0, 0x3C003C00, 0, 0x80010001) == 0x80010001);
    for (const std::string encoding : {"_e32", "_e64"})
      CHECK(run("v_pk_fmac_f16" + encoding + " v6, v0, v1", mode_of(0, 0, 0x3), 0x40003C00, 0x3C004000, 0,
                0x00013C00) == 0x40004200);
  });
  OneWave w;
  CHECK_THROWS_WITH(w.run("v_pk_fmac_f16_dpp v6, v0, v1 row_shr:1"), Catch::Contains("not implemented"));
}

TEST_CASE("MODE leaves approximations, dot products, moves and classes alone") {
  on_every_simd([] {
    for (const std::string text :
         {"v_rcp_f32 v6, v0", "v_sqrt_f32 v6, v0", "v_exp_f32 v6, v0", "v_log_f32 v6, v0", "v_sin_f32 v6, v0",
          "v_rsq_f16 v6, v0", "v_dot2_f32_f16 v6, v0, v1, v2", "v_mov_b32 v6, v0",
          "v_cvt_pk_fp8_f32 v6, v0, v1", "v_cvt_f32_bf16 v6, v0", "v_cndmask_b32 v6, v0, v1, vcc",
          "v_cvt_pk_bf16_f32 v6, v1, v2"})
      for (const uint32_t a : {single(0.7f), single(3.3f), 0x00012345u, 0x3C013555u})
        for (uint32_t mode = 1; mode < 16; mode += 2) {
          CAPTURE(text, a, mode);
          const uint32_t denormals = text.starts_with("v_cvt_pk_fp8") ? 0xF0 : mode << 4;
          CHECK(run(text, mode | denormals, a, 0x3C023C03, single(1.1f)) ==
                run(text, 0xF0, a, 0x3C023C03, single(1.1f)));
        }
    for (const uint32_t mode : {0u, 0xF0u}) {
      OneWave w;
      w.wave().mode = mode;
      w.lane(0, 3) = 1;
      w.lane(1, 3) = 1 << 7; // positive denormal
      w.run("v_cmp_class_f32 vcc, v0, v1");
      CHECK(w.wave().vcc() == uint64_t{1} << 3);
    }
  });
}

TEST_CASE("matrix instructions ignore MODE") {
  on_every_simd([] {
    std::vector<uint32_t> results[2];
    for (const uint32_t mode : {0xF0u, 0x05u}) {
      OneWave w;
      w.wave().mode = mode;
      for (int l = 0; l < 64; ++l)
        for (int v = 0; v < 4; ++v) w.lane_f32(v, l) = static_cast<float>(l * 7 + v) / 3;
      w.run("v_mfma_f32_16x16x4_f32 v[4:7], v0, v1, 0");
      for (int v = 4; v < 8; ++v)
        for (int l = 0; l < 64; ++l) results[mode == 0x05].push_back(w.lane(v, l));
    }
    CHECK(results[0] == results[1]);
  });
}
