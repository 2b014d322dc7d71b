// Rows H1 to H24 of the hazard tables with exactly the required distance (silent) and one state less
// (reported), and what a report says. The numbers are typed from machine_gfx950.md section 2, not taken from
// the implementation.

#include "tests/observe/wait_states_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Row {
  const char* name;
  const char* first;
  const char* second;
  int states;
};

} // namespace

TEST_CASE("wait states: rows H1 to H24, one state less is reported") {
  const Row rows[] = {
      {"H1", "v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, v2, s[4:7], 0 offen", 5},
      {"H1 soffset", "v_readfirstlane_b32 s9, v0", "buffer_load_dword v1, v2, s[4:7], s9 offen", 5},
      {"H1 saddr", "v_readlane_b32 s3, v0, 0", "global_store_dword v1, v2, s[2:3]", 5},
      {"H1 scratch", "v_readfirstlane_b32 s4, v0", "scratch_load_dword v1, off, s4", 5},
      {"H1 vcc", "v_cmp_lt_f32_e32 vcc, v0, v1", "global_load_dword v1, v2, vcc", 5},
      {"H2", "v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v1, s4", 4},
      {"H2 write", "v_cmp_eq_u32_e64 s[4:5], v0, v1", "v_writelane_b32 v2, 0, s5", 4},
      {"H3", "v_div_scale_f32 v0, vcc, v1, v2, v3", "v_div_fmas_f32 v4, v5, v6, v7", 4},
      {"H3 f64", "v_cmp_lt_f32_e32 vcc, v0, v1", "v_div_fmas_f64 v[4:5], v[6:7], v[8:9], v[10:11]", 4},
      {"H4", "v_cmpx_lt_f32_e32 vcc, v0, v1", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf", 5},
      {"H5", "v_mov_b32 v3, 0", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf", 2},
      {"H5 other source", "v_mov_b32 v4, 0", "v_add_f32_dpp v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
       2},
      {"H5 accumulator of mac", "v_mov_b32 v2, 0",
       "v_mac_f16_dpp v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf", 2},
      {"H5 accumulator", "v_mov_b32 v2, 0", "v_fmac_f32_dpp v2, v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
       2},
      {"H6", "v_readfirstlane_b32 s4, v0", "v_add_f32 v1, s4, v2", 2},
      {"H6 pair", "v_cmp_lt_f32_e64 s[4:5], v0, v1", "v_lshl_add_u64 v[2:3], s[4:5], 0, v[4:5]", 2},
      {"H6 vcc", "v_add_co_u32_e32 v0, vcc, v1, v2", "v_mov_b32 v3, vcc_lo", 2},
      {"H7", "v_cmpx_lt_f32_e32 vcc, v0, v1", "v_readlane_b32 s5, v3, 0", 4},
      {"H7 first", "v_cmpx_lt_f32_e32 vcc, v0, v1", "v_readfirstlane_b32 s5, v3", 4},
      {"H7 write", "v_cmpx_lt_f32_e32 vcc, v0, v1", "v_writelane_b32 v3, 0, 5", 4},
      {"H8", "v_cmpx_lt_f32_e32 vcc, v0, v1", "v_mov_b32 v3, exec_lo", 2},
      {"H9", "v_cmp_lt_f32_e32 vcc, v0, v1", "v_mov_b32 v3, src_vccz", 5},
      {"H9 exec", "v_cmpx_lt_f32_e64 s[4:5], v0, v1", "v_mov_b32 v3, src_execz", 5},
      {"H10", "v_mov_b32 v3, 0", "v_readlane_b32 s5, v3, 0", 1},
      {"H10 first", "v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9]", "v_readfirstlane_b32 s5, v3", 1},
      {"H11 exp", "v_exp_f32 v0, v1", "v_add_f32 v2, v0, v0", 1},
      {"H11 rcp f64", "v_rcp_f64 v[0:1], v[2:3]", "v_mul_f32 v4, v1, v1", 1},
      {"H11 sqrt f16", "v_sqrt_f16 v0, v1", "v_cvt_f32_f16 v4, v0", 1},
      {"H12 global", "global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32 v6, 0", 2},
      {"H12 x3", "global_store_dwordx3 v[0:1], v[4:6], off", "v_mov_b32 v6, 0", 2},
      {"H12 buffer", "buffer_store_dwordx4 v[4:7], v0, s[4:7], 0 offen", "v_exp_f32 v7, v8", 2},
      {"H12 soffset", "buffer_store_dwordx4 v[4:7], v0, s[4:7], s9 offen", "v_mov_b32 v7, 0", 1},
      {"H12 soffset x3", "buffer_store_dwordx3 v[4:6], v0, s[4:7], s9 offen", "v_mov_b32 v4, 0", 1},
      {"H12 cmpswap", "flat_atomic_cmpswap_x2 v[0:1], v[4:7]", "v_mov_b32 v4, 0", 2},
      {"H12 scratch", "scratch_store_dwordx4 off, v[4:7], s0", "v_mov_b32 v4, 0", 2},
      {"H12 format", "buffer_store_format_xyzw v[4:7], v0, s[4:7], 0 offen", "v_mov_b32 v4, 0", 2},
      {"H13 sdwa",
       "v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
       "v_add_f32 v3, v0, v0", 1},
      {"H13 overwrite", "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD",
       "v_mov_b32 v0, 0", 1},
      {"H13 op_sel", "v_mad_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v_mov_b32 v4, v0", 1},
      {"H13 bitop3", "v_bitop3_b16 v0, v1, v2, v3 bitop3:0x40 op_sel:[0,0,0,1]", "v_mov_b32 v4, v0", 1},
      {"H13 fp8 pair", "v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]", "v_cvt_pk_fp8_f32 v0, v3, v4", 1},
      {"H13 fp8 byte 1", "v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]",
       "v_cvt_sr_fp8_f32 v0, v3, v4 op_sel:[0,0,0,1]", 1},
      {"H13 fp4 byte 0", "v_cvt_scalef32_sr_pk_fp4_f32 v0, v[2:3], v4, v5", "v_mov_b32 v6, v0", 1},
      {"H13 fp4 byte 1", "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, v3 op_sel:[0,0,1,0]", "v_mov_b32 v6, v0", 1},
      {"H13 scaled", "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v_mov_b32 v6, v0", 1},
      {"H14", "v_mov_b32 v1, 0", "v_permlane32_swap_b32 v0, v1", 2},
      {"H14 destination", "v_mov_b32 v0, 0", "v_permlane16_swap_b32 v0, v1", 2},
      {"H15", "v_cmpx_lt_f32_e32 vcc, v2, v3", "v_permlane32_swap_b32 v0, v1", 4},
      {"H16 sendmsg", "s_mov_b32 m0, s0", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1},
      {"H16 halt", "s_add_u32 m0, s0, s1", "s_sendmsghalt sendmsg(MSG_INTERRUPT)", 1},
      {"H16 trace", "s_movk_i32 m0, 1", "s_ttracedata", 1},
      {"H16 movrel", "s_mov_b32 m0, s0", "s_movrels_b32 s4, s5", 1},
      {"H16 addtid", "s_mov_b32 m0, s0", "ds_read_addtid_b32 v0", 1},
      {"H16 gws", "s_mov_b32 m0, s0", "ds_gws_init v0 gds", 1},
      {"H16 buffer lds", "s_mov_b32 m0, s0", "buffer_load_dwordx4 v4, s[4:7], 0 offen lds", 1},
      {"H16 global lds", "s_mov_b32 m0, s0", "global_load_lds_dwordx4 v[0:1], off", 1},
      {"H17", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)",
       2},
      {"H17 set", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1",
       2},
      {"H18", "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0", "v_cmp_lt_f32_e32 vcc, v0, v1", 2},
      {"H18 memory", "s_setreg_b32 hwreg(HW_REG_MODE), s0", "ds_read_b32 v0, v1", 2},
      {"H18 vskip", "s_setvskip s0, 1", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", 2},
      {"H19", "s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 4), s0", "s_rfe_b64 s[0:1]", 1},
      {"H20, within H6", "v_cmp_lt_f32_e32 vcc, v0, v1", "v_mov_b32 v3, vcc_hi", 2},
      {"H22 A", "v_mov_b32 v1, 0", "v_mfma_f32_16x16x16_f16 v[20:23], v[0:1], v[4:5], v[20:23]", 2},
      {"H22 B", "v_add_f32 v4, v6, v6", "v_mfma_f32_4x4x1_16b_f32 v[20:23], v0, v4, v[20:23]", 2},
      {"H22 C", "v_accvgpr_write_b32 a3, v0", "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[4:5], a[0:3]", 2},
      {"H22 scale", "v_mov_b32 v90, 0",
       "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[16:23], v[24:31], v[0:3], v90, v91", 2},
      {"H22 index", "v_mov_b32 v12, 0", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12", 2},
      {"H22 f64 C", "v_fma_f64 v[0:1], v[20:21], v[20:21], v[20:21]",
       "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[2:3], v[4:5], v[0:1]", 2},
      {"H23", "v_cmpx_lt_f32_e32 vcc, v20, v21", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[8:9], v[0:3]", 4},
      {"H24 other", "v_dot2_f32_f16 v0, v1, v2, v3", "v_add_f32 v4, v0, v0", 3},
      {"H24 same, A", "v_dot2_f32_f16 v0, v1, v2, v3", "v_dot2_f32_f16 v4, v0, v2, v3", 3},
      {"H24 same, both", "v_dot2_f32_f16 v0, v1, v2, v3", "v_dot2_f32_f16 v4, v0, v2, v0", 3},
      {"H24 overwrite", "v_dot4_i32_i8 v0, v1, v2, v3", "v_mov_b32 v0, 0", 3},
      {"H24 other dot", "v_dot4_i32_i8 v0, v1, v2, v3", "v_dot8_i32_i4 v4, v1, v2, v0", 3},
      {"H24 store", "v_dot2c_f32_f16 v0, v1, v2", "global_store_dword v[2:3], v0, off", 3},
      {"H24 ds", "v_dot2c_f32_f16 v0, v1, v2", "ds_write_b32 v3, v0", 3},
      {"D then fma", "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]",
       "v_fma_f64 v[20:21], v[22:23], v[22:23], v[22:23]", 2},
      {"D4 then fmac", "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[8:9], v[10:11], v[0:1]",
       "v_fmac_f64 v[20:21], v[22:23], v[22:23]", 2},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    check_distance(row.first, row.second, row.states);
  }
}

TEST_CASE("wait states: what needs no distance is silent") {
  const char* rows[][2] = {
      {"v_mov_b32 v0, 0", "v_add_f32 v1, v0, v0"},
      {"v_cmp_lt_f32_e32 vcc, v0, v1", "v_cndmask_b32_e32 v2, v3, v4, vcc"},          // H6: a mask
      {"v_cmp_lt_f32_e64 s[4:5], v0, v1", "v_cndmask_b32_e64 v2, v3, v4, s[4:5]"},    //
      {"v_add_co_u32_e32 v0, vcc, v1, v2", "v_addc_co_u32_e32 v3, vcc, v4, v5, vcc"}, // H6: carry-in
      {"v_cmp_lt_f32_e32 vcc, v0, v1", "s_and_b64 s[0:1], vcc, exec"},                // SALU
      {"v_cmpx_lt_f32_e32 vcc, v0, v1", "v_add_f32 v2, v2, v2"},                      // H7: other VALU
      {"v_cmpx_lt_f32_e32 vcc, v0, v1", "global_load_dword v2, v[4:5], off"},         //
      {"s_mov_b64 exec, -1", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"},
      {"s_mov_b32 s4, 0", "buffer_load_dword v1, v2, s[4:7], 0 offen"},
      {"v_mov_b32 v2, 0", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"}, // H5: kept, not read
      {"v_exp_f32 v0, v1", "v_log_f32 v2, v0"},                                         // H11
      {"v_exp_f32 v0, v1", "v_mov_b32 v0, 0"},
      {"global_store_dwordx2 v[0:1], v[4:5], off", "v_mov_b32 v4, 0"}, // H12
      {"global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32 v0, 0"},
      {"global_store_dwordx4 v[0:1], v[4:7], off", "global_load_dwordx4 v[4:7], v[0:1], off"},
      {"buffer_store_dwordx2 v[4:5], v0, s[4:7], s9 offen", "v_mov_b32 v5, 0"},
      {"ds_write_b128 v0, v[4:7]", "v_mov_b32 v7, 0"},
      {"v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
       "v_mov_b32 v2, v0"}, // H13
      {"v_cvt_pk_fp8_f32 v0, v1, v2", "v_cvt_pk_fp8_f32 v0, v3, v4 op_sel:[0,0,1]"},
      {"s_mov_b32 m0, 0", "ds_read_b32 v0, v1"},                        // H16
      {"s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "v_mov_b32 v0, 0"}, // H18
      {"s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)"},
      {"v_dot2_f32_f16 v0, v1, v2, v3", "v_dot2_f32_f16 v0, v4, v5, v0"}, // H24: accumulates
      {"v_dot2c_f32_f16 v0, v1, v2", "v_dot2c_f32_f16 v0, v3, v4"},
      {"v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]", "v_mov_b32 v4, 0"}, // WAR on A
      {"v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[8:11]", "v_mov_b32 v8, 0"},          // WAR on C of f32
      {"v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]",
       "v_mfma_f32_16x16x16_f16 v[12:15], v[4:5], v[6:7], v[8:11]"},
  };
  for (const auto& row : rows) {
    INFO(row[0] << " | " << row[1]);
    const auto hazards = hazards_of(std::string(row[0]) + "\n" + row[1] + "\n");
    INFO((hazards.empty() ? "" : hazards[0].what));
    CHECK(hazards.empty());
  }
}

TEST_CASE("wait states: what shipped kernels do is a warning, and an error beside it wins") {
  const auto swaps = hazards_of("v_permlane32_swap_b32 v0, v1\ns_nop 0\nv_permlane16_swap_b32 v0, v1\n");
  REQUIRE(swaps.size() == 1);
  CHECK(swaps[0].severity == observe::Severity::warning);
  const auto first = hazards_of("v_mov_b32 v0, v1\ns_nop 0\nv_permlane16_swap_b32 v0, v1\n");
  REQUIRE(first.size() == 1);
  CHECK(first[0].severity == observe::Severity::error);
  const auto both =
      hazards_of("v_permlane32_swap_b32 v0, v1\nv_mov_b32 v2, v3\nv_permlane16_swap_b32 v2, v0\n");
  REQUIRE(both.size() == 1);
  CHECK(both[0].severity == observe::Severity::error);
  CHECK(both[0].what.find("v_mov_b32 writes v2") == 0);
}

TEST_CASE("wait states: an SGPR of v_readlane, and a DPP operand one state short, are warnings as shipped "
          "kernels have them") {
  const auto severity = [](const std::string& text) {
    const auto hazards = hazards_of(text);
    INFO(text);
    REQUIRE(hazards.size() == 1);
    return hazards[0].severity;
  };
  using enum observe::Severity;
  for (const char* second : {"v_mov_b32 v2, s4\n", "v_writelane_b32 v2, s4, 3\n"}) {
    CHECK(severity(std::string("v_readlane_b32 s4, v1, 0\n") + second) == warning);
    CHECK(severity(std::string("v_readlane_b32 s4, v1, 0\ns_nop 0\n") + second) == warning);
    CHECK(severity(std::string("v_readfirstlane_b32 s4, v1\n") + second) == error);
    CHECK(severity(std::string("v_cmp_lt_u32_e64 s[4:5], v1, v3\n") + second) == error);
  }
  // Of other uses of the SGPR nothing is known to be shipped.
  CHECK(severity("v_readlane_b32 s4, v1, 0\nv_writelane_b32 v2, 1, s4\n") == error);
  CHECK(severity("v_readlane_b32 s4, v1, 0\nglobal_load_dword v2, v3, s[4:5]\n") == error);

  const std::string dpp = "v_mul_f32_dpp v3, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf\n";
  for (const char* first : {"v_pk_mul_f32 v[0:1], v[4:5], v[6:7]\n", "v_max3_f32 v1, v4, v5, v6\n"}) {
    CHECK(severity(first + std::string("s_nop 0\n") + dpp) == warning);
    CHECK(severity(first + dpp) == error);
  }
  // An MFMA's result is that for DPP, too.
  CHECK(severity("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0\ns_nop 5\n" + dpp) == error);
}

TEST_CASE("wait states: an error is worse than a warning that misses more, and what keeps its distance is no "
          "pair") {
  const auto spaced = [](int states, int required, observe::Severity severity) {
    return observe::SpacedPair{
        {}, states, {required, "", severity == observe::Severity::error ? required : 0}};
  };
  using enum observe::Severity;
  CHECK(spaced(1, 2, error).is_worse_than(spaced(0, 5, warning)));
  CHECK_FALSE(spaced(0, 5, warning).is_worse_than(spaced(1, 2, error)));
  CHECK(spaced(0, 5, warning).is_worse_than(spaced(2, 2, error)));
  CHECK(spaced(0, 2, error).is_worse_than(spaced(1, 2, error)));
  CHECK_FALSE(spaced(2, 2, error).is_worse_than(observe::SpacedPair{}));
  CHECK(spaced(0, 1, warning).is_worse_than(observe::SpacedPair{}));
}

TEST_CASE("wait states: a report names both instructions, the registers and what is missing") {
  const Code code("v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]\n"
                  "s_nop 8\n"
                  "v_add_f32 v30, v3, v31\n");
  const auto hazards = walk(code);
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].what ==
        "v_mfma_f32_32x32x16_bf16 writes v[0:15], v_add_f32 reads v3 after 9 of 12 wait states "
        "(MFMA result)");
  CHECK(hazards[0].missing == "s_nop 2");
}

TEST_CASE("wait states: the last write of a register counts, and the worst of several") {
  // v0 is loaded anew after the MFMA wrote it; v1 is not.
  const std::string load = "v_mfma_f32_16x16x16_f16 v[0:3], v[20:21], v[22:23], 0\n"
                           "global_load_dword v0, v[60:61], off\ns_waitcnt vmcnt(0)\n";
  CHECK(hazards_of(load + "v_add_f32 v10, v0, v0\n").empty());
  CHECK(hazards_of(load + "v_add_f32 v10, v1, v1\n").size() == 1);
  // Two MFMAs write parts of A at different times.
  const auto hazards = hazards_of("v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], 0\n"
                                  "v_mfma_f32_16x16x16_f16 v[16:19], v[20:21], v[22:23], 0\n"
                                  "v_mfma_f32_16x16x32_f16 v[40:43], v[14:17], v[24:27], 0\n");
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].missing == "s_nop 10"); // 12 - 1 for the first; 8 - 0 for the second
  // EXEC written by v_cmpx and then by the SALU: DPP waits for neither.
  CHECK(hazards_of("v_cmpx_lt_f32_e32 vcc, v0, v1\ns_mov_b64 exec, -1\n"
                   "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf\n")
            .empty());
}
