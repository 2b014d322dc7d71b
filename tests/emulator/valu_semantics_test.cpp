// Modifiers, packed and mixed forms, byte operations and the division macro against values worked out from
// the ISA guide's definitions. What the differential tests reach is not repeated here.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <random>

using namespace fmha950;
using test::OneWave;

namespace {

// v0, v1, v2 (pairs v[0:1], v[2:3], v[4:5] for 64-bit forms) in lane 3; the result in v6 (and v7).
uint32_t run(const std::string& text, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t before = 0) {
  return test::run_in_lane(text, a, b, c, before);
}
uint64_t run64(const std::string& text, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  OneWave w;
  w.set_lane64(0, 3, a);
  w.set_lane64(2, 3, b);
  w.set_lane64(4, 3, c);
  w.run(text);
  return w.lane64(6, 3);
}
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
uint32_t half(double x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); }
uint32_t halves(double low, double high) { return half(low) | half(high) << 16; }
uint64_t pair(float low, float high) { return bits(low) | uint64_t{bits(high)} << 32; }
constexpr float infinity = INFINITY;

} // namespace

TEST_CASE("float modifiers: neg, abs, clamp, omod") {
  CHECK(run("v_add_f32_e64 v6, -v0, |v1|", bits(1.0f), bits(-3.0f)) == bits(2.0f));
  CHECK(run("v_add_f32_e64 v6, -|v0|, v1", bits(-1.0f), bits(3.0f)) == bits(2.0f));
  CHECK(run("v_add_f32_e64 v6, v0, v1 clamp", bits(1.0f), bits(3.0f)) == bits(1.0f));
  CHECK(run("v_add_f32_e64 v6, v0, v1 clamp", bits(1.0f), bits(-3.0f)) == 0);
  CHECK(run("v_mul_f32_e64 v6, v0, v1 clamp", bits(0.5f), bits(0.5f)) == bits(0.25f));
  CHECK(run("v_mov_b32_e64 v6, v0", 0x12345678) == 0x12345678);

  OneWave w;
  const auto scaled = [&](uint32_t mode) {
    w.wave().mode = mode;
    w.lane_f32(0, 3) = 3;
    w.run("v_add_f32_e64 v6, v0, v0 mul:4");
    return w.lane_f32(6, 3);
  };
  CHECK(scaled(0x100) == 24); // denormals flushed, IEEE off: applied
  CHECK(scaled(0x300) == 6);  // IEEE
  CHECK(scaled(0x130) == 6);  // f32 denormals
  w.wave().mode = 0;          // without DX10_CLAMP a NaN passes the clamp
  w.lane(0, 3) = 0x7FC00123;
  w.run("v_add_f32_e64 v6, v0, 0 clamp");
  CHECK(w.lane(6, 3) == 0x7FC00123);
  w.wave().mode = 0x100;
  w.run("v_add_f32_e64 v6, v0, 0 clamp");
  CHECK(w.lane(6, 3) == 0);
}

TEST_CASE("the first NaN source comes out quiet, an invalid operation gives the default NaN") {
  CHECK(run("v_add_f32_e32 v6, v0, v1", 0x7F800001, 0x7FC00002) == 0x7FC00001);
  CHECK(run("v_add_f32_e32 v6, v0, v1", bits(1.0f), 0xFF800002) == 0xFFC00002);
  CHECK(run("v_fma_f32 v6, v0, v1, v2", bits(1.0f), bits(2.0f), 0x7FA00000) == 0x7FE00000);
  CHECK(run("v_sub_f32_e32 v6, v0, v1", bits(infinity), bits(infinity)) == 0x7FC00000);
  CHECK(run("v_max_f32_e32 v6, v0, v1", 0x7FC00001, bits(-2.0f)) == bits(-2.0f));
  CHECK(run("v_max_f32_e32 v6, v0, v1", 0x7F800001, bits(-2.0f)) == 0x7FC00001);
  CHECK(run("v_min_f32_e32 v6, v0, v1", bits(0.0f), bits(-0.0f)) == bits(-0.0f));
  CHECK(run("v_max_f32_e32 v6, v0, v1", bits(-0.0f), bits(0.0f)) == bits(0.0f));
  CHECK(run("v_med3_f32 v6, v0, v1, v2", bits(5.0f), bits(-1.0f), bits(2.0f)) == bits(2.0f));
  CHECK(run("v_maximum3_f32 v6, v0, v1, v2", bits(5.0f), 0x7FC00005, bits(2.0f)) == 0x7FC00005);
}

TEST_CASE("integer clamp saturates") {
  CHECK(run("v_add_u32_e64 v6, v0, v1 clamp", 0xFFFFFFF0, 0x20) == 0xFFFFFFFF);
  CHECK(run("v_sub_u32_e64 v6, v0, v1 clamp", 1, 2) == 0);
  CHECK(run("v_add_i32 v6, v0, v1 clamp", 0x7FFFFFFF, 1) == 0x7FFFFFFF);
  CHECK(run("v_sub_i32 v6, v0, v1 clamp", 0x80000000, 1) == 0x80000000);
  CHECK(run("v_mad_u32_u24 v6, v0, v1, v2 clamp", 0xFFFFFF, 0xFFFFFF, 1) == 0xFFFFFFFF);
  CHECK(run("v_mad_i32_i24 v6, v0, v1, v2 clamp", 0x800000, 0x7FFFFF, 0) == 0x80000000);
  CHECK(run("v_pk_add_i16 v6, v0, v1 clamp", 0x7FFF8000, 0x0001FFFF) == 0x7FFF8000);
  CHECK(run("v_mad_u16 v6, v0, v1, v2 clamp", 0xFFFF, 2, 3, 0xABCD0000) == 0xABCDFFFF);
  CHECK(run("v_dot4_i32_i8 v6, v0, v1, v2 clamp", 0x7F7F7F7F, 0x7F7F7F7F, 0x7FFFFFFF) == 0x7FFFFFFF);
}

TEST_CASE("16-bit results: which half is written and what becomes of the other") {
  CHECK(run("v_add_f16_e32 v6, v0, v1", half(1), half(2), 0, 0xABCD1234) == half(3));
  CHECK(run("v_fma_f16 v6, v0, v1, v2", half(2), half(3), half(1), 0xABCD1234) == (0xABCD0000 | half(7)));
  CHECK(run("v_fma_f16 v6, v0, v1, v2 op_sel:[1,0,0,1]", halves(0, 2), half(3), half(1), 0xABCD1234) ==
        (half(7) << 16 | 0x1234));
  CHECK(run("v_fma_legacy_f16 v6, v0, v1, v2", half(2), half(3), half(1), 0xABCD1234) == half(7));
  CHECK(run("v_mad_i16 v6, v0, v1, v2 op_sel:[0,0,0,1]", 3, 5, 0xFFFF, 0x1111) == 0x000E1111);
  CHECK(run("v_pack_b32_f16 v6, -v0, v1 op_sel:[0,1,0]", half(1), halves(0, 2)) == halves(-1, 2));
  CHECK(run("v_bitop3_b16 v6, v0, v1, v2 bitop3:0x96 op_sel:[1,0,0,1]", 0x1234FFFF, 0x00FF, 0x0F0F,
            0xAAAA5555) == ((0x1234u ^ 0x00FFu ^ 0x0F0Fu) << 16 | 0x5555));
}

TEST_CASE("packed halves and singles choose and negate their sources separately") {
  CHECK(run("v_pk_add_f16 v6, v0, v1", halves(1, 2), halves(10, 20)) == halves(11, 22));
  CHECK(run("v_pk_add_f16 v6, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]", halves(1, 2), halves(10, 20)) ==
        halves(12, 21));
  CHECK(run("v_pk_fma_f16 v6, v0, v1, v2 neg_lo:[1,0,0] neg_hi:[0,0,1]", halves(1, 2), halves(10, 20),
            halves(5, 6)) == halves(-5, 34));
  CHECK(run("v_pk_mul_f16 v6, v0, 2.0 op_sel_hi:[1,0]", halves(1, 3)) == halves(2, 6));
  CHECK(run("v_pk_add_f16 v6, v0, v1 clamp", halves(1, -2), halves(1, 1)) == halves(1, 0));
  CHECK(run("v_pk_max_i16 v6, v0, v1", 0xFFFF0001, 0x00018000) == 0x00010001);

  CHECK(run64("v_pk_fma_f32 v[6:7], v[0:1], v[2:3], v[4:5]", pair(1, 2), pair(3, 4), pair(5, 6)) ==
        pair(8, 14));
  CHECK(run64("v_pk_mul_f32 v[6:7], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", pair(1, 2), pair(3, 4)) ==
        pair(6, 4));
  CHECK(run64("v_pk_add_f32 v[6:7], v[0:1], v[2:3] neg_lo:[0,1] neg_hi:[1,0]", pair(1, 2), pair(3, 4)) ==
        pair(-2, 2));
  CHECK(run64("v_pk_mov_b32 v[6:7], v[0:1], v[2:3] op_sel:[1,0]", pair(1, 2), pair(3, 4)) == pair(2, 3));
  OneWave w;
  w.wave().set_sgpr64(4, pair(7, 9));
  w.set_lane64(0, 3, pair(1, 2));
  w.run("v_pk_mul_f32 v[0:1], v[0:1], s[4:5]");
  CHECK(w.lane64(0, 3) == pair(7, 18));
}

TEST_CASE("mixed-precision FMA reads halves or singles and writes either") {
  CHECK(run("v_fma_mix_f32 v6, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]", halves(9, 3), bits(2.0f),
            bits(0.5f)) == bits(6.5f));
  CHECK(run("v_fma_mix_f32 v6, -v0, |v1|, v2 op_sel_hi:[1,1,1]", half(3), half(-2), half(1)) == bits(-5.0f));
  CHECK(run("v_fma_mixlo_f16 v6, v0, v1, v2", bits(3.0f), bits(2.0f), bits(1.0f), 0xABCD1234) ==
        (0xABCD0000 | half(7)));
  CHECK(run("v_fma_mixhi_f16 v6, v0, v1, v2", bits(3.0f), bits(2.0f), bits(1.0f), 0xABCD1234) ==
        (half(7) << 16 | 0x1234));
}

TEST_CASE("dot products") {
  CHECK(run("v_dot2_f32_f16 v6, v0, v1, v2", halves(1, 2), halves(3, 4), bits(0.5f)) == bits(11.5f));
  CHECK(run("v_dot2_f32_bf16 v6, v0, v1, v2", 0x40003F80, 0x40804040, bits(0.5f)) == bits(11.5f));
  CHECK(run("v_dot2c_f32_bf16 v6, v0, v1", 0x40003F80, 0x40804040, 0, bits(0.5f)) == bits(11.5f));
  CHECK(run("v_dot2_i32_i16 v6, v0, v1, v2", 0xFFFF0002, 0x00030004, 100) == 105);
  CHECK(run("v_dot2_u32_u16 v6, v0, v1, v2", 0xFFFF0002, 0x00030004, 100) == 108 + 3 * 0xFFFF);
  CHECK(run("v_dot4_u32_u8 v6, v0, v1, v2", 0xFF020304, 0x01020304, 1) == 0xFF + 4 + 9 + 16 + 1);
  CHECK(run("v_dot4_i32_i8 v6, v0, v1, v2", 0xFF020304, 0x01020304, 1) == 4 + 9 + 16);
  CHECK(run("v_dot8_i32_i4 v6, v0, v1, v2", 0xF0000012, 0x10000034, 0) == uint32_t(3 + 8 - 1));
  CHECK(run("v_dot8_u32_u4 v6, v0, v1, v2", 0xF0000012, 0x10000034, 0) == 3 + 8 + 15);
}

TEST_CASE("bytes: permutation, differences, averages, packing") {
  CHECK(run("v_perm_b32 v6, v0, v1, v2", 0x88776655, 0x44332211, 0x00070304) == 0x11884455);
  CHECK(run("v_perm_b32 v6, v0, v1, v2", 0x88776655, 0x4433A211, 0x0B0A080C) == 0xFF00FF00);
  CHECK(run("v_perm_b32 v6, v0, v1, v2", 0x88776655, 0xC433A211, 0x0D09FF0C) == 0xFFFFFF00);
  CHECK(run("v_sad_u8 v6, v0, v1, v2", 0x01FF0010, 0x02000020, 5) == 1 + 255 + 16 + 5);
  CHECK(run("v_msad_u8 v6, v0, v1, v2", 0x01FF0010, 0x02000020, 5) == 1 + 16 + 5);
  CHECK(run("v_sad_hi_u8 v6, v0, v1, v2", 0x01FF0010, 0x02000020, 5) == (272u << 16) + 5);
  CHECK(run("v_sad_u16 v6, v0, v1, v2", 0x00010005, 0x00030001, 5) == 11);
  CHECK(run("v_lerp_u8 v6, v0, v1, v2", 0x01020304, 0x02020406, 0x01000100) == 0x02020405);
  CHECK(run("v_sat_pk_u8_i16 v6, v0", 0xFFFF0123) == 0x00FF);
  CHECK(run("v_ashr_pk_u8_i32 v6, v0, v1, v2", 0x00000FF0, 0xFFFFFFFF, 4, 0xABCD0000) == 0xABCD00FF);
  CHECK(run("v_ashr_pk_i8_i32 v6, v0, v1, v2", 0x00000FF0, 0xFFFFFFF0, 4, 0xABCD0000) == 0xABCDFF7F);
  CHECK(run64("v_qsad_pk_u16_u8 v[6:7], v[0:1], v2, v[4:5]", 0x0706050403020100, 0x03020100,
              0x0001000100010001) == 0x000D000900050001);
  CHECK(run("v_alignbyte_b32 v6, v0, v1, v2", 0x88776655, 0x44332211, 3) == 0x77665544);
}

TEST_CASE("bit fields, shifts and carries") {
  CHECK(run("v_bfe_i32 v6, v0, v1, v2", 0x00000F80, 7, 5) == 0xFFFFFFFF);
  CHECK(run("v_bfe_i32 v6, v0, v1, v2", 0x80000000, 30, 5) == 0xFFFFFFFE);
  CHECK(run("v_bfe_u32 v6, v0, v1, v2", 0xFFFFFFFF, 4, 0) == 0);
  CHECK(run("v_bfm_b32 v6, v0, v1", 5, 4) == 0x1F0);
  CHECK(run("v_prng_b32 v6, v0", 0x80000001) == (2u ^ 0xC5u));
  CHECK(run64("v_lshl_add_u64 v[6:7], v[0:1], 4, v[4:5]", 0x0FFFFFFFFFFFFFFF, 0, 3) == 0xFFFFFFFFFFFFFFF3);
  CHECK(run64("v_lshl_add_u64 v[6:7], v[0:1], v2, v[4:5]", 1, 5, 3) == 4); // above 4: no shift
  OneWave w;
  w.wave().set_sgpr64(20, 0b1100);
  for (int l = 0; l < 4; ++l) w.lane(0, l) = l % 2 ? 0xFFFFFFFF : 5;
  w.run("v_addc_co_u32_e64 v6, s[22:23], v0, 0, s[20:21]\n v_subb_co_u32_e64 v7, s[24:25], 0, v0, s[20:21]");
  CHECK(w.lane(6, 2) == 6);
  CHECK(w.lane(6, 3) == 0);
  CHECK((w.wave().sgpr64(22) & 0xF) == 0b1000);
  CHECK(w.lane(7, 3) == 0);
  CHECK((w.wave().sgpr64(24) & 0xF) == 0b1111);
  const uint32_t truth = run("v_bitop3_b32 v6, v0, v1, v2 bitop3:0xe4", 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA);
  CHECK(truth == 0xE4E4E4E4); // the table itself, with these arguments
}

TEST_CASE("mad_i64_i32 delivers bit 64 of the sum") {
  const auto carry = [](int32_t a, int32_t b, int64_t c) {
    OneWave w;
    w.lane(0, 3) = static_cast<uint32_t>(a);
    w.lane(1, 3) = static_cast<uint32_t>(b);
    w.set_lane64(2, 3, static_cast<uint64_t>(c));
    w.run("v_mad_i64_i32 v[6:7], s[20:21], v0, v1, v[2:3]");
    const __int128 exact = static_cast<__int128>(a) * b + c;
    CHECK(w.lane64(6, 3) == static_cast<uint64_t>(exact));
    CHECK((w.wave().sgpr64(20) >> 3 & 1) == (exact < 0));
  };
  carry(-5, 7, 3);
  carry(INT32_MIN, INT32_MIN, INT64_MAX);
  carry(INT32_MIN, INT32_MAX, INT64_MIN);
}

TEST_CASE("mantissas, exponents and scaling") {
  for (const float x : {1.0f, -3.5f, 0x1p-149f, -0x1.8p-130f, 0x1.fffffep127f, 0.0f, -0.0f}) {
    int exponent;
    const float mantissa = std::frexp(x, &exponent);
    CHECK(run("v_frexp_mant_f32 v6, v0", bits(x)) == bits(mantissa));
    CHECK(static_cast<int>(run("v_frexp_exp_i32_f32 v6, v0", bits(x))) == exponent);
    for (const int n : {-300, -150, -130, -3, 0, 5, 200, 100000})
      CHECK(run("v_ldexp_f32 v6, v0, v1", bits(x), static_cast<uint32_t>(n)) == bits(std::ldexp(x, n)));
  }
  for (const double x : {1.0, -3.5, 0x1p-1074, -0x1.8p-1030, 0x1.fffffp1023, 0x1.23456789abcdep-500}) {
    int exponent;
    const double mantissa = std::frexp(x, &exponent);
    CHECK(run64("v_frexp_mant_f64 v[6:7], v[0:1]", bits(x)) == bits(mantissa));
    CHECK(static_cast<int>(run64("v_frexp_exp_i32_f64 v6, v[0:1]", bits(x))) == exponent);
    for (const int n : {-3000, -2100, -1070, -600, -3, 1000, 2100, 3000})
      CHECK(run64("v_ldexp_f64 v[6:7], v[0:1], v2", bits(x), static_cast<uint32_t>(n)) ==
            bits(std::ldexp(x, n)));
  }
  CHECK(run("v_frexp_exp_i32_f32 v6, v0", bits(infinity)) == 0);
  CHECK(run("v_frexp_exp_i16_f16 v6, v0", 0x0001) == (0xFFFF & -23));
  CHECK(run("v_ldexp_f16 v6, v0, v1", half(1.5), 0xFFFF & -16) == half(std::ldexp(1.5, -16)));
  CHECK(run("v_fract_f32 v6, v0", bits(-1.25f)) == bits(0.75f));
  CHECK(run("v_fract_f32 v6, v0", bits(-0x1p-40f)) == 0x3f7fffff);
}

TEST_CASE("trig_preop gives the segment of 2/pi that an argument needs") {
  // Segment 0 holds the first 53 bits of 2/pi = 0.a2f9836e4e4415...
  CHECK(run64("v_trig_preop_f64 v[6:7], v[0:1], 0", bits(1.0)) ==
        bits(std::ldexp(double(0xA2F9836E4E441500 >> 11), -53)));
  const double next = std::bit_cast<double>(run64("v_trig_preop_f64 v[6:7], v[0:1], 1", bits(1.0)));
  CHECK(next < 0x1p-53);
  CHECK(next > 0x1p-60);
}

TEST_CASE("cube map coordinates of the six faces") {
  const auto face = [](float x, float y, float z) {
    return std::bit_cast<float>(run("v_cubeid_f32 v6, v0, v1, v2", bits(x), bits(y), bits(z)));
  };
  CHECK(face(3, 1, 2) == 0);
  CHECK(face(-3, 1, 2) == 1);
  CHECK(face(1, 3, 2) == 2);
  CHECK(face(1, -3, 2) == 3);
  CHECK(face(1, 2, 3) == 4);
  CHECK(face(1, 2, -3) == 5);
  CHECK(run("v_cubema_f32 v6, v0, v1, v2", bits(-3.0f), bits(1.0f), bits(2.0f)) == bits(-6.0f));
  CHECK(run("v_cubesc_f32 v6, v0, v1, v2", bits(-3.0f), bits(1.0f), bits(2.0f)) == bits(2.0f));
  CHECK(run("v_cubetc_f32 v6, v0, v1, v2", bits(-3.0f), bits(1.0f), bits(2.0f)) == bits(-1.0f));
}

TEST_CASE("an unsupported clamp is an error, not a wrong result") {
  OneWave w;
  CHECK_THROWS_WITH(w.run("v_sad_u8 v6, v0, v1, v2 clamp"), Catch::Contains("clamp"));
}
