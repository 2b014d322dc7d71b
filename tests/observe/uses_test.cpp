// Registers read and written, against what the assembly text says:
// (text, reads, writes), implicit ones with ~.
#include "emulator/isa/uses.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

std::string join(std::span<const isa::RegisterRange> ranges) {
  std::string text;
  for (const auto& range : ranges)
    text += (text.empty() ? "" : " ") + std::string(range.implicit ? "~" : "") +
            isa::name_of(range, test::Code::default_accum_offset);
  return text;
}

struct Case {
  const char *text, *reads, *writes;
};

} // namespace

TEST_CASE("uses: the registers that an instruction names, and those it does not") {
  const Case cases[] = {
      {"v_add_f32_e32 v1, v2, v3", "v2 v3 ~exec", "v1"},
      {"v_add_f32_e64 v1, s4, v3", "s4 v3 ~exec", "v1"},
      {"v_fmac_f32_e32 v1, v2, v3", "v2 v3 v1 ~exec", "v1"},
      {"v_cndmask_b32_e32 v1, v2, v3, vcc", "v2 v3 ~vcc ~exec", "v1"},
      {"v_cndmask_b32_e64 v1, v2, v3, s[4:5]", "v2 v3 s[4:5] ~exec", "v1"},
      {"v_cmp_lt_f32_e32 vcc, v1, v2", "v1 v2 ~exec", "~vcc"},
      {"v_cmp_lt_f32_e64 s[2:3], v1, v2", "v1 v2 ~exec", "s[2:3]"},
      {"v_cmpx_lt_f32_e32 vcc, v1, v2", "v1 v2 ~exec", "~vcc ~exec"},
      {"v_add_co_u32_e32 v1, vcc, v2, v3", "v2 v3 ~exec", "v1 ~vcc"},
      {"v_addc_co_u32_e32 v1, vcc, v2, v3, vcc", "v2 v3 ~vcc ~exec", "v1 ~vcc"},
      {"v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9]", "v[4:5] v[6:7] v[8:9] ~exec", "v[2:3]"},
      {"v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9] op_sel_hi:[1,0,1]", "v[4:5] v6 v[8:9] ~exec", "v[2:3]"},
      {"v_pk_mul_f32 v[2:3], v[4:5], s[6:7] op_sel:[1,0] op_sel_hi:[1,0]", "v5 s6 ~exec", "v[2:3]"},
      {"v_pk_mul_f32 v[2:3], 2.0, v[6:7] op_sel:[0,1] op_sel_hi:[0,0]", "v[6:7] ~exec", "v[2:3]"},
      {"v_pk_add_f32 v[2:3], 1.0, v[6:7] op_sel_hi:[1,0]", "v6 ~exec", "v[2:3]"},
      {"s_set_gpr_idx_on s3, 1", "s3 ~m0", "~m0"},
      {"s_set_gpr_idx_idx s3", "s3 ~m0", "~m0"},
      {"s_set_gpr_idx_mode 3", "~m0", "~m0"},
      {"s_set_gpr_idx_off", "", ""},
      {"v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf", "v1 v2 ~exec", "v1"},
      {"v_mfma_f32_32x32x16_bf16 a[0:15], v[2:5], v[6:9], a[0:15]", "v[2:5] v[6:9] a[0:15] ~exec", "a[0:15]"},
      {"v_accvgpr_write_b32 a3, v1", "v1 ~exec", "a3"},
      {"v_readfirstlane_b32 s3, v1", "v1 ~exec", "s3"},
      {"v_writelane_b32 v1, s2, 3", "s2 v1", "v1"},
      {"v_cvt_pk_fp8_f32 v1, v2, v3", "v2 v3 v1 ~exec", "v1"},
      {"v_permlane32_swap_b32_e32 v1, v2", "v1 v2 ~exec", "v1 v2"},
      {"global_load_dwordx4 v[4:7], v[2:3], off", "v[2:3] ~exec", "v[4:7]"},
      {"global_load_dwordx4 v[4:7], v2, s[8:9]", "s[8:9] v2 ~exec", "v[4:7]"},
      {"global_load_short_d16_hi v4, v[2:3], off", "v[2:3] ~exec", "v4"},
      {"global_store_dwordx2 v[2:3], v[4:5], off", "v[2:3] v[4:5] ~exec", ""},
      {"global_atomic_add v6, v[2:3], v4, off sc0", "v[2:3] v4 ~exec", "v6"},
      {"buffer_load_dwordx4 v1, s[8:11], s3 offen lds", "v1 s[8:11] s3 ~exec ~m0", ""},
      {"buffer_load_dword v5, v1, s[8:11], 0 offen", "v1 s[8:11] ~exec", "v5"},
      {"ds_read_b128 v[4:7], v1", "v1 ~exec", "v[4:7]"},
      {"ds_write2_b64 v1, v[2:3], v[4:5] offset0:1 offset1:2", "v1 v[2:3] v[4:5] ~exec", ""},
      {"ds_read_b64_tr_b16 v[4:5], v1", "v1 ~exec", "v[4:5]"},
      {"s_load_dwordx8 s[16:23], s[2:3], 0x10", "s[2:3]", "s[16:23]"},
      {"s_add_u32 s1, s2, s3", "s2 s3", "s1 ~scc"},
      {"s_addc_u32 s1, s2, s3", "s2 s3 ~scc", "s1 ~scc"},
      {"s_and_saveexec_b64 s[2:3], vcc", "vcc ~exec", "s[2:3] ~exec ~scc"},
      {"s_bitset0_b32 s1, s2", "s2 s1", "s1"},
      {"s_bitset1_b64 s[2:3], s5", "s5 s[2:3]", "s[2:3]"},
      {"s_cmov_b32 s1, s2", "s2 ~scc s1", "s1"},
      {"s_cmovk_i32 s1, 0x10", "~scc s1", "s1"},
      {"s_addk_i32 s1, 0x10", "s1", "s1 ~scc"},
      {"s_movrels_b32 s1, s2", "s2 ~m0", "s1"},
      {"s_movreld_b64 s[2:3], s[4:5]", "s[2:3] s[4:5] ~m0", ""}, // LLVM: M0 says which SGPRs it writes
      {"s_mov_b32 m0, s5", "s5", "m0"},
      {"s_cbranch_vccnz 0", "~vcc", ""},
      {"s_barrier", "", ""},
  };
  for (const Case& c : cases) {
    const test::Code code(c.text);
    const isa::Uses uses = isa::uses_of(code.instructions()[0], test::Code::default_accum_offset);
    INFO(c.text);
    CHECK(join(uses.reads()) == c.reads);
    CHECK(join(uses.writes()) == c.writes);
  }
}
