// Every row of the hazard tables with exactly the required distance (silent) and one state less (reported).
// The numbers are typed from machine_gfx950.md section 2 and mfma_gfx950.md sections 5.1, 5.2, not taken from
// the implementation.

#include "tests/observe/instruction_stream.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

namespace {

using namespace fmha950;

std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 16) text += fmt::format("s_nop {}\n", std::min(states, 16) - 1);
  return text;
}

// Half of the distance as instructions that have nothing to do with either: they are states like any other.
std::string mixed(int states) {
  std::string text;
  for (; states > 0; --states)
    text += states % 3 == 0 ? "v_mov_b32 v200, 0\n" : states % 3 == 1 ? "s_mov_b32 s90, 0\n" : "s_nop 0\n";
  return text;
}

std::vector<observe::Hazard> hazards_of(const std::string& text) { return test::walk(test::Code(text)); }

void check_distance(const std::string& first, const std::string& second, int states) {
  INFO(first << " | " << second << " | " << states);
  for (const auto& fill : {nops, mixed}) {
    const auto enough = hazards_of(first + "\n" + fill(states) + second + "\n");
    INFO((enough.empty() ? "" : enough[0].what));
    CHECK(enough.empty());
    for (int have : {states - 1, states / 2, 0}) {
      if (have < 0 || have >= states) continue;
      const test::Code code(first + "\n" + fill(have) + second + "\n");
      const auto hazards = test::walk(code);
      INFO("with " << have);
      REQUIRE(hazards.size() == 1);
      INFO(hazards[0].what);
      const int missing = states - have;
      CHECK(hazards[0].missing == (missing > 16 ? fmt::format("s_nop 15, s_nop {}", missing - 17)
                                                : fmt::format("s_nop {}", missing - 1)));
      CHECK(hazards[0].type == observe::HazardClass::wait_states);
      CHECK(hazards[0].earlier.address == code.instructions().front().address);
      CHECK(hazards[0].later.address == code.instructions().back().address);
    }
  }
}

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
      {"buffer_store_dwordx4 v[4:7], v0, s[4:7], s9 offen", "v_mov_b32 v7, 0"},
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

namespace {

// An MFMA with its result in v[0:..] and matrix C in v[64:..] or 0.
struct Matrix {
  const char* mnemonic;
  char type;               // X: XDL and SMFMAC, S: f32, D: f64 16x16x4, d: f64 4x4x4
  int passes;              // mfma_gfx950.md section 5.1
  int result, a, b;        // registers
  const char* suffix = ""; // modifiers
  bool sparse = false;     // v_smfmac: index register, C in the result
  std::string text(const std::string& d, const std::string& c) const {
    const auto range = [](int first, int count) {
      return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
    };
    return fmt::format("{} {}, {}, {}, {} {}", mnemonic, d, range(100, a), range(110, b), sparse ? "v120" : c,
                       suffix);
  }
  std::string range(int first) const { return fmt::format("v[{}:{}]", first, first + result - 1); }
};

const Matrix matrices[] = {
    {"v_mfma_f32_4x4x4_16b_f16", 'X', 2, 4, 2, 2},
    {"v_mfma_f32_4x4x4_16b_bf16", 'X', 2, 4, 2, 2},
    {"v_mfma_i32_4x4x4_16b_i8", 'X', 2, 4, 1, 1},
    {"v_mfma_f32_16x16x16_f16", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x16_bf16", 'X', 4, 4, 2, 2},
    {"v_mfma_i32_16x16x32_i8", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x32_fp8_bf8", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x32_f16", 'X', 4, 4, 4, 4},
    {"v_mfma_f32_16x16x32_bf16", 'X', 4, 4, 4, 4},
    {"v_mfma_i32_16x16x64_i8", 'X', 4, 4, 4, 4},
    {"v_mfma_f32_16x16x4_4b_f16", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_16x16x4_4b_bf16", 'X', 8, 16, 2, 2},
    {"v_mfma_i32_16x16x4_4b_i8", 'X', 8, 16, 1, 1},
    {"v_mfma_f32_32x32x8_f16", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x8_bf16", 'X', 8, 16, 2, 2},
    {"v_mfma_i32_32x32x16_i8", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x16_fp8_fp8", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x16_f16", 'X', 8, 16, 4, 4},
    {"v_mfma_f32_32x32x16_bf16", 'X', 8, 16, 4, 4},
    {"v_mfma_i32_32x32x32_i8", 'X', 8, 16, 4, 4},
    {"v_mfma_f32_32x32x4_2b_f16", 'X', 16, 32, 2, 2},
    {"v_mfma_f32_32x32x4_2b_bf16", 'X', 16, 32, 2, 2},
    {"v_mfma_i32_32x32x4_2b_i8", 'X', 16, 32, 1, 1},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 8, 4, 8, 8},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 8, 4, 6, 8, "cbsz:2 blgp:1"},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 4, 4, 6, 4, "cbsz:3 blgp:4"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 16, 16, 8, 8, "cbsz:1"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 16, 16, 8, 4, "blgp:4"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 8, 16, 4, 4, "cbsz:4 blgp:4"},
    {"v_smfmac_f32_16x16x32_f16", 'X', 4, 4, 2, 4, "", true},
    {"v_smfmac_f32_16x16x64_bf16", 'X', 4, 4, 4, 8, "", true},
    {"v_smfmac_i32_16x16x128_i8", 'X', 4, 4, 4, 8, "", true},
    {"v_smfmac_f32_32x32x16_bf16", 'X', 8, 16, 2, 4, "", true},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 'X', 8, 16, 4, 8, "", true},
    {"v_mfma_f32_4x4x1_16b_f32", 'S', 2, 4, 1, 1},
    {"v_mfma_f32_16x16x1_4b_f32", 'S', 8, 16, 1, 1},
    {"v_mfma_f32_16x16x4_f32", 'S', 8, 4, 1, 1},
    {"v_mfma_f32_32x32x1_2b_f32", 'S', 16, 32, 1, 1},
    {"v_mfma_f32_32x32x2_f32", 'S', 16, 16, 1, 1},
    {"v_mfma_f64_16x16x4_f64", 'D', 16, 8, 2, 2},
    {"v_mfma_f64_4x4x4_4b_f64", 'd', 4, 2, 2, 2},
};

int column(int passes) { return passes == 2 ? 0 : passes == 4 ? 1 : passes == 8 ? 2 : 3; }

struct MatrixRow {
  char first;
  const char* second;
  int states[4]; // by passes of the first: 2, 4, 8, 16
};

} // namespace

TEST_CASE("wait states: every MFMA's result, by passes and consumer") {
  const MatrixRow rows[] = {
      // Matrix A or B, the index of SMFMAC, scales
      {'X', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {5, 8, 12, 20}},
      {'X', "v_mfma_f64_4x4x4_4b_f64 v[40:41], v[90:91], v[0:1], 0", {5, 8, 12, 20}},
      {'X', "v_smfmac_f32_16x16x32_f16 v[40:43], v[90:91], v[92:95], v1", {5, 8, 12, 20}},
      {'X', "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[80:87], v[90:97], 0, v98, v1", {5, 8, 12, 20}},
      {'S', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {4, 6, 10, 18}},
      {'D', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {19, 19, 19, 19}},
      {'d', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {6, 6, 6, 6}},
      // Matrix C that overlaps but is not the result's registers
      {'X', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {4, 6, 10, 18}},
      {'X', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {3, 6, 10, 18}},
      {'X', "v_mfma_f64_16x16x4_f64 v[40:47], v[90:91], v[92:93], v[32:39]", {3, 6, 10, 18}},
      {'S', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {2, 4, 8, 16}},
      {'S', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      {'D', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {17, 17, 17, 17}},
      {'D', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      {'d', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {4, 4, 4, 4}},
      {'d', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      // VALU reads
      {'X', "v_add_f32 v50, v1, v60", {5, 8, 12, 20}},
      {'X', "v_readlane_b32 s0, v0, 0", {5, 8, 12, 20}},
      {'X', "v_accvgpr_write_b32 a0, v0", {5, 8, 12, 20}},
      {'X', "v_permlane32_swap_b32 v50, v1", {5, 8, 12, 20}},
      {'X', "v_exp_f32 v50, v1", {5, 8, 12, 20}},
      {'S', "v_pk_mul_f32 v[50:51], v[0:1], v[60:61]", {4, 6, 10, 18}},
      {'D', "v_add_f64 v[50:51], v[0:1], v[60:61]", {19, 19, 19, 19}},
      {'d', "v_add_f64 v[50:51], v[0:1], v[60:61]", {6, 6, 6, 6}},
      // VALU overwrites
      {'X', "v_mov_b32 v1, 0", {5, 8, 12, 20}},
      {'S', "v_mov_b32 v1, 0", {4, 6, 10, 18}},
      {'D', "v_mov_b32 v1, 0", {11, 11, 11, 11}},
      {'d', "v_mov_b32 v1, 0", {6, 6, 6, 6}},
      // Memory reads: data and addresses
      {'X', "global_store_dword v[60:61], v1, off", {5, 8, 12, 20}},
      {'X', "buffer_load_dword v50, v1, s[0:3], 0 offen", {5, 8, 12, 20}},
      {'X', "ds_write_b64 v50, v[0:1]", {5, 8, 12, 20}},
      {'X', "flat_load_dword v50, v[0:1]", {5, 8, 12, 20}},
      {'S', "ds_read_b32 v50, v1", {4, 6, 10, 18}},
      {'D', "scratch_store_dwordx2 off, v[0:1], s0", {18, 18, 18, 18}},
      {'d', "global_store_dwordx2 v[60:61], v[0:1], off", {9, 9, 9, 9}},
  };
  for (const Matrix& matrix : matrices)
    for (const MatrixRow& row : rows) {
      if (row.first != matrix.type) continue;
      // Rows for an overlapping C expect it in v[34:37] or v[32:39]: the result ends in between.
      const bool overlap = std::string_view(row.second).find("v[3") != std::string_view::npos;
      const int first_register = overlap ? 36 - matrix.result : 0;
      const std::string first = matrix.text(matrix.range(first_register), "0");
      check_distance(first, row.second, row.states[column(matrix.passes)]);
    }
}

TEST_CASE("wait states: accumulating in the same registers, and the WAR on matrix C") {
  for (const Matrix& matrix : matrices) {
    const std::string chain = matrix.text(matrix.range(0), matrix.range(0));
    const int states = matrix.type == 'd' ? 4 : matrix.passes == 2 ? 2 : 0;
    INFO(chain);
    if (states)
      check_distance(chain, chain, states);
    else
      CHECK(hazards_of(chain + "\n" + chain + "\n").empty());
    if (matrix.sparse) continue;
    const std::string reads_c = matrix.text(matrix.range(0), matrix.range(64));
    const int war[] = {1, 3, 7, 15};
    if (matrix.type == 'X')
      check_distance(reads_c, "v_mov_b32 v65, 0", war[column(matrix.passes)]);
    else
      CHECK(hazards_of(reads_c + "\nv_mov_b32 v65, 0\n").empty());
  }
}

TEST_CASE("wait states: a report names both instructions, the registers and what is missing") {
  const test::Code code("v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]\n"
                        "s_nop 8\n"
                        "v_add_f32 v30, v3, v31\n");
  const auto hazards = test::walk(code);
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
