// What the model knows of single instructions: the clocks of mfma_gfx950.md 5.1 and 5.2 and
// machine_gfx950.md 6.3.
#include "emulator/timing/record/op.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using timing::Op;
using timing::Pipe;

namespace {

Op op(const std::string& text) {
  const test::Code code(text);
  return timing::op_of(code.instructions()[0], test::Code::default_accum_offset);
}

} // namespace

TEST_CASE("timing: a matrix instruction's format is what its energy is known by") {
  using timing::MatrixFormat;
  CHECK(op("v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]").format == MatrixFormat::bf16);
  CHECK(op("v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]").format == MatrixFormat::bf16);
  CHECK(op("v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[16:17], v[18:19], v[0:15]").format == MatrixFormat::fp8);
  CHECK(op("v_mfma_f32_16x16x32_bf8_fp8 v[0:3], v[4:5], v[6:7], v[0:3]").format == MatrixFormat::fp8);
  CHECK(op("v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]").format == MatrixFormat::f8f6f4);
}

TEST_CASE("timing: conversions to codes and bytes are told from others, as their rates are open questions") {
  CHECK(op("v_cvt_pk_fp8_f32 v0, v1, v2").makes_codes);
  CHECK(op("v_cvt_scalef32_pk_bf8_f16 v0, v1, v2").makes_codes);
  CHECK_FALSE(op("v_cvt_pk_bf16_f32 v0, v1, v2").makes_codes);
  CHECK_FALSE(op("v_cvt_f32_fp8 v0, v1").makes_codes);
  CHECK_FALSE(op("v_fma_f32 v0, v1, v2, v3").makes_codes);
  CHECK(op("v_cvt_pk_u8_f32 v0, v1, v2, v0").makes_byte);
  CHECK_FALSE(op("v_cvt_pk_u8_f32 v0, v1, v2, v0").makes_codes);
  CHECK_FALSE(op("v_cvt_pk_fp8_f32 v0, v1, v2").makes_byte);
}

TEST_CASE("timing: an MFMA's result comes its passes and wait states after it, its sum at once") {
  struct Expected {
    const char* text;
    int passes, states, chain_states;
  };
  const Expected all[] = {
      {"v_mfma_f32_4x4x4_16b_f16 v[0:3], v[4:5], v[6:7], v[0:3]", 2, 5, 2},
      {"v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]", 4, 8, 0},
      {"v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]", 8, 12, 0},
      {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]", 16, 20, 0},
      {"v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]", 8, 10, 0},
      {"v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]", 16, 19, 0},
  };
  for (const Expected& expected : all) {
    INFO(expected.text);
    const Op mfma = op(expected.text);
    CHECK(mfma.pipe == Pipe::matrix);
    CHECK(mfma.clocks == 4 * expected.passes);
    CHECK(mfma.result_clocks == 4 * (1 + expected.states));
    CHECK(mfma.chain_clocks == std::max(4 * expected.passes, 4 * (1 + expected.chain_states)));
    CHECK(mfma.chain.count > 0);
  }
  CHECK(op("v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[12:15]").chain.count == 0);
}

TEST_CASE("timing: VALU results come later where the VALU takes longer") {
  const Op fma = op("v_fma_f32 v0, v1, v2, v3"), exp = op("v_exp_f32 v0, v1"),
           rcp = op("v_rcp_f64 v[0:1], v[2:3]");
  CHECK(fma.clocks == 4);
  CHECK(fma.result_clocks == 8);
  CHECK(exp.clocks == 8);
  CHECK(exp.result_clocks == 12);
  CHECK(rcp.clocks == 32);
  CHECK(rcp.result_clocks > rcp.clocks);
  CHECK(op("v_mul_hi_u32 v0, v1, v2").clocks == 16);
  CHECK(op("v_mul_hi_u32_u24 v0, v1, v2").clocks == 4); // full rate: 24 bits are those of an f32
  CHECK(op("v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[32:37], v38").clocks == 32);
  CHECK(op("v_cvt_scalef32_pk32_f16_fp6 v[0:15], v[32:37], v38").clocks == 16);
  CHECK(op("v_cvt_pk_f32_fp8 v[0:1], v2").clocks == 4);
}

TEST_CASE("timing: which instructions touch nothing but their wave's registers") {
  for (const char* text : {"v_add_f32 v0, v1, v2", "v_cmp_lt_f32 vcc, v1, v2", "v_readlane_b32 s4, v1, 3",
                           "v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]", "s_add_u32 s0, s1, s2",
                           "s_mov_b64 exec, s[0:1]", "s_waitcnt vmcnt(0)", "s_nop 3", "s_setprio 1"}) {
    CAPTURE(text);
    CHECK(op(text).own_registers);
  }
  for (const char* text :
       {"ds_read_b128 v[0:3], v4", "ds_bpermute_b32 v0, v1, v2", "global_load_dword v0, v1, s[0:1]",
        "buffer_load_dword v1, s[4:7], 0 offen lds", "s_load_dword s4, s[0:1], 0x0", "s_memtime s[0:1]",
        "s_barrier", "s_endpgm", "s_cbranch_scc0 0", "s_setpc_b64 s[0:1]", "s_swappc_b64 s[0:1], s[2:3]",
        "s_sleep 1", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_getreg_b32 s0, hwreg(HW_REG_MODE)"}) {
    CAPTURE(text);
    CHECK_FALSE(op(text).own_registers);
  }
}

TEST_CASE("timing: what counters wait for and count") {
  const Op wait = op("s_waitcnt vmcnt(3) lgkmcnt(2)");
  CHECK(wait.pipe == Pipe::internal);
  CHECK(wait.vmcnt == 3);
  CHECK(wait.lgkmcnt == 2);
  CHECK(op("s_waitcnt lgkmcnt(0)").vmcnt == 63); // the counter's most: none
  CHECK(op("s_load_dword s4, s[0:1], 0x0").lgkm_units == 1);
  CHECK(op("s_load_dwordx8 s[4:11], s[0:1], 0x0").lgkm_units == 2);
  CHECK(op("ds_read_b128 v[0:3], v4").lgkm_units == 1);
  CHECK(op("global_load_dwordx4 v[0:3], v4, s[0:1]").pipe == Pipe::vmem);
  CHECK(op("s_nop 7").internal_clocks == 4 * 8);
  CHECK(op("s_setprio 2").priority == 2);
  CHECK(op("s_endpgm").ends);
}
