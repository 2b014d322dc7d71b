// Precision of the check for uninitialised values: what compilers rely on stays valid. Expected values are
// the definitions of the instructions (ISA guide).

#include "tests/observe/shadowed_wave.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

constexpr uint64_t all = ~uint64_t{0};

} // namespace

TEST_CASE("initialised: bytes that a VALU result keeps, takes or drops", "[initialised]") {
  struct Case {
    const char* text;
    unsigned v0, v1, v8; // bytes of v0, v1, v8 that are invalid before
    unsigned expected;   // of v8 after
    uint32_t value1 = 0; // of v1
  };
  const Case cases[] = {
      {"v_mov_b32 v8, v0", 0b0101, 0, 0b1111, 0b0101},
      {"v_mov_b32 v8, 7", 0, 0, 0b1111, 0},
      {"v_add_f32 v8, v0, v1", 0b0001, 0, 0, 0b1111},
      {"v_add_f32 v8, v2, v3", 0b1111, 0b1111, 0b1111, 0},
      // A byte that is masked away, or that a known one decides.
      {"v_and_b32 v8, v0, v1", 0b1111, 0, 0, 0b0010, 0x0000FF00},
      {"v_and_b32 v8, 0xffff, v0", 0b1100, 0, 0, 0},
      {"v_or_b32 v8, v0, v1", 0b1111, 0, 0, 0b1101, 0x0000FF00},
      {"v_bfi_b32 v8, v1, v2, v0", 0b1111, 0, 0, 0b1100, 0x0000FFFF},
      {"v_bfi_b32 v8, v1, v0, v2", 0b1111, 0, 0, 0b0011, 0x0000FFFF},
      {"v_bitop3_b32 v8, v0, v1, v2 bitop3:0xc0", 0b1111, 0, 0, 0b0001, 0x000000FF}, // v0 & v1
      // Bytes that move.
      {"v_lshlrev_b32 v8, 16, v0", 0b0011, 0, 0, 0b1100},
      {"v_lshrrev_b32 v8, 24, v0", 0b0111, 0, 0, 0},
      {"v_lshl_or_b32 v8, v0, 16, v1", 0b1100, 0b0001, 0, 0b0001},
      {"v_alignbyte_b32 v8, v0, v1, 2", 0b0001, 0b0011, 0, 0b0100},
      {"v_alignbit_b32 v8, v0, v1, 8", 0b1110, 0b0001, 0, 0},
      {"v_perm_b32 v8, v0, v2, v1", 0b1010, 0, 0, 0b0010, 0x04000504}, // bytes of {v0, v2}
      {"v_bfe_u32 v8, v0, 8, 8", 0b1101, 0, 0, 0},
      {"v_bfe_u32 v8, v0, 8, 8", 0b0010, 0, 0, 0b0001},
      {"v_cvt_f32_ubyte2 v8, v0", 0b1011, 0, 0, 0},
      // Halves.
      {"v_add_f16 v8, v0, v1", 0b1100, 0b1100, 0b1111, 0},
      {"v_add_f16 v8, v0, v1", 0b0001, 0, 0, 0b0011},
      {"v_mad_f16 v8, v0, v1, v2 op_sel:[1,0,0,1]", 0b0011, 0b1100, 0b0011, 0b0011},
      {"v_cvt_f32_f16 v8, v0", 0b1100, 0, 0, 0},
      {"v_cvt_f16_f32 v8, v0", 0b1000, 0, 0b1111, 0b0011},
      {"v_sat_pk_u8_i16 v8, v0", 0b0001, 0, 0b1111, 0b0011}, // the upper half is zero
      {"v_pack_b32_f16 v8, v0, v1", 0b1100, 0b1111, 0, 0b1100},
      {"v_pk_add_f16 v8, v0, v1", 0b1100, 0, 0, 0b1100},
      {"v_pk_add_f16 v8, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]", 0b1100, 0, 0, 0b0011},
      {"v_fma_mixlo_f16 v8, v0, v1, v2", 0, 0, 0b1100, 0b1100},
      {"v_fma_mix_f32 v8, v0, v1, v2 op_sel_hi:[1,0,0]", 0b1100, 0, 0, 0},
      {"v_cvt_pk_bf16_f32 v8, v0, v1", 0, 0b0001, 0, 0b1100},
      // Conversions that write a part, or read one.
      {"v_cvt_pk_fp8_f32 v8, v0, v1", 0, 0, 0b1111, 0b1100},
      {"v_cvt_pk_fp8_f32 v8, v0, v1 op_sel:[0,0,1]", 0, 0b1000, 0b1111, 0b1011},
      {"v_cvt_sr_fp8_f32 v8, v0, v1 op_sel:[0,0,1,0]", 0, 0, 0b1111, 0b1101},
      {"v_cvt_f32_fp8 v8, v0", 0b1110, 0, 0, 0},
      {"v_cvt_scalef32_pk_fp4_f32 v8, v0, v1, v2 op_sel:[0,0,1,0]", 0, 0, 0b1111, 0b1101},
      // SDWA.
      {"v_mov_b32_sdwa v8, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3", 0b1000, 0, 0,
       0b0010},
      {"v_mov_b32_sdwa v8, v0 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0", 0b1100, 0, 0b1111, 0},
  };
  for (const Case& c : cases) {
    ShadowedWave w;
    w.set_all_valid();
    w.set(0, all, c.v0), w.set(1, all, c.v1), w.set(8, all, c.v8);
    for (int lane = 0; lane < 64; ++lane) w.one.lane(1, lane) = c.value1;
    w.run(c.text);
    INFO(c.text);
    for (int lane : {0, 17, 63}) CHECK(w.bytes(8, lane) == c.expected);
    CHECK(w.hazards.all.empty());
  }
}

TEST_CASE("initialised: lanes", "[initialised]") {
  ShadowedWave w;
  w.set_all_valid();
  SECTION("EXEC keeps the others out") {
    w.set(0, 0xFF);
    w.set(8, all);
    w.one.wave().set_exec(0xF0F);
    w.run("v_add_u32 v8, v0, v1");
    CHECK(w.lanes(8) == (~uint64_t{0xF0F} | 0x0F));
  }
  SECTION("v_cndmask looks at the side it takes") {
    w.set(0, all);
    w.one.wave().set_sgpr64(106, 0xFFFF);
    w.run("v_cndmask_b32 v8, v0, v1, vcc");
    CHECK(w.lanes(8) == ~uint64_t{0xFFFF});
  }
  SECTION("a comparison is one bit per lane, inactive lanes are zero") {
    w.set(0, 0xFFFF);
    w.one.wave().set_exec(0xF0F);
    w.run("v_cmp_lt_f32 vcc, v0, v1");
    CHECK(w.registers().sgpr64(106) == 0xF0F);
  }
  SECTION("carries") {
    w.set(0, 1 << 5, 0b1000);
    w.run("v_add_co_u32 v8, vcc, v0, v1\nv_addc_co_u32 v9, vcc, v2, v3, vcc");
    CHECK(w.registers().sgpr64(106) == 1 << 5);
    CHECK(w.lanes(9) == 1 << 5);
  }
  SECTION("v_readlane, v_writelane, v_readfirstlane") {
    w.set(0, ~uint64_t{2}, 0b0010);
    w.set(8, all);
    w.run("v_readlane_b32 s4, v0, 1\nv_readfirstlane_b32 s5, v0\nv_writelane_b32 v8, s4, 9");
    CHECK(w.registers().sgpr(4) == 0);
    CHECK(w.registers().sgpr(5) == 0x0000FF00);
    CHECK(w.lanes(8) == ~(uint64_t{1} << 9));
  }
  SECTION("DPP reads other lanes") {
    w.set(0, uint64_t{1} << 5);
    w.run("s_nop 4\nv_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0");
    CHECK(w.lanes(8) == uint64_t{1} << 6);
  }
  SECTION("v_permlane32_swap") {
    w.set(0, 0xFFFFFFFF00000000), w.set(1, 0);
    w.run("v_permlane32_swap_b32 v0, v1");
    CHECK(w.lanes(0) == 0);
    CHECK(w.lanes(1) == 0x00000000FFFFFFFF);
  }
  SECTION("ds_bpermute and ds_swizzle") {
    w.set(0, uint64_t{1} << 7);
    for (int lane = 0; lane < 64; ++lane) w.one.lane(1, lane) = static_cast<uint32_t>(4 * ((lane + 1) % 64));
    w.run("ds_bpermute_b32 v8, v1, v0\nds_swizzle_b32 v9, v0 offset:swizzle(SWAP,1)");
    CHECK(w.lanes(8) == uint64_t{1} << 6);
    CHECK(w.lanes(9) == uint64_t{1} << 6);
  }
}

TEST_CASE("initialised: a matrix product spoils a row, a column, an element", "[initialised]") {
  ShadowedWave w;
  w.set_all_valid();
  const auto spoilt = [&] {
    int words = 0;
    for (int r = 16; r < 20; ++r) words += __builtin_popcountll(w.lanes(r));
    return words;
  };
  // v_mfma_f32_16x16x32_bf16: row i of A is in lanes i, i + 16, ...; D row i is item i % 4 of lanes
  // 16 * (i / 4) + column (mfma_gfx950.md section 2.2).
  SECTION("row of A") {
    w.set(0, uint64_t{1} << 21, 0b0010); // row 5
    w.run("v_mfma_f32_16x16x32_bf16 v[16:19], v[0:3], v[4:7], v[16:19]");
    CHECK(w.lanes(17) == 0x00000000FFFF0000); // item 1 of workgroup 1
    CHECK(spoilt() == 16);
  }
  SECTION("column of B") {
    w.set(5, uint64_t{1} << 40); // column 8
    w.run("v_mfma_f32_16x16x32_bf16 v[16:19], v[0:3], v[4:7], v[16:19]");
    for (int r = 16; r < 20; ++r) CHECK(w.lanes(r) == 0x0100'0100'0100'0100);
  }
  SECTION("element of C, whatever EXEC is") {
    w.set(18, uint64_t{1} << 3, 0b0001);
    w.one.wave().set_exec(0);
    w.run("v_mfma_f32_16x16x32_bf16 v[16:19], v[0:3], v[4:7], v[16:19]");
    CHECK(w.lanes(18) == uint64_t{1} << 3);
    CHECK(spoilt() == 1);
  }
  SECTION("a constant C makes what was there valid") {
    for (int r = 16; r < 20; ++r) w.set(r, all);
    w.run("v_mfma_f32_16x16x32_bf16 v[16:19], v[0:3], v[4:7], 0");
    CHECK(spoilt() == 0);
  }
  SECTION("the scale byte that is chosen") {
    w.set(40, uint64_t{1} << 2, 0b0010), w.set(41, 0);
    w.run(
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[16:19], v[0:7], v[8:15], v[16:19], v40, v41 op_sel_hi:[0,0,0]");
    CHECK(spoilt() == 0);
    w.run("v_mfma_scale_f32_16x16x128_f8f6f4 v[16:19], v[0:7], v[8:15], v[16:19], v40, v41 op_sel:[1,0,0] "
          "op_sel_hi:[0,0,0]");
    CHECK(spoilt() == 16);
  }
}

TEST_CASE("initialised: scalars bit by bit", "[initialised]") {
  ShadowedWave w;
  w.set_all_valid();
  w.registers().set_sgpr(0, 0x00FF00FF, 0);
  w.one.sgpr(1) = 0x0000FFFF;
  SECTION("and") {
    w.run("s_and_b32 s4, s0, s1");
    CHECK(w.registers().sgpr(4) == 0x000000FF);
  }
  SECTION("SCC is known when a known bit is set") {
    w.one.sgpr(0) = 0x00000F00;
    w.run("s_and_b32 s4, s0, s1\ns_cbranch_scc1 0");
    CHECK(w.hazards.all.empty());
  }
  SECTION("s_cselect takes the valid side") {
    w.one.wave().scc = false;
    w.run("s_cselect_b32 s4, s0, s1");
    CHECK(w.registers().sgpr(4) == 0);
    w.one.wave().scc = true;
    w.run("s_cselect_b32 s4, s0, s1");
    CHECK(w.registers().sgpr(4) == 0x00FF00FF);
  }
  SECTION("a sum is all or nothing") {
    w.run("s_add_u32 s4, s0, s1\ns_mov_b32 s5, 3");
    CHECK(w.registers().sgpr(4) == ~0u);
    CHECK(w.registers().sgpr(machine::code::scc) == 1);
    CHECK(w.registers().sgpr(5) == 0);
  }
}
