// VGPR indexing and vskip against the ISA guide: 6.6 with its table of which bit of M0 moves which register, 12.4 and 12.5
// for the instructions.
#include "tests/emulator/memory_case.hpp"

#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::test;

namespace {

constexpr uint32_t index_bit = 1u << 27, vskip_bit = 1u << 28;
constexpr uint32_t src0 = 1, src1 = 2, src2 = 4, dst = 8;
constexpr int m0 = machine::code::m0, lane = 5, distance = 16, registers_used = 64;

// v0 to v63 of a lane after `text`, executed with these operands moved by `distance`.
std::vector<uint32_t> after(const std::string& text, uint32_t operands) {
  OneWave w;
  fill_vgprs(w, 0, registers_used);
  for (int s = 0; s < 100; ++s) w.sgpr(s) = 0x01010101u * static_cast<uint32_t>(s + 1);
  w.wave().set_sgpr64(machine::code::vcc, 0x123456789ABCDEF0);
  w.sgpr(20) = distance;
  w.run(fmt::format("s_set_gpr_idx_on s20, {}\n{}\ns_set_gpr_idx_off", operands, text));
  std::vector<uint32_t> values;
  for (int v = 0; v < registers_used; ++v) values.push_back(w.lane(v, lane));
  values.push_back(w.sgpr(6));
  values.push_back(w.sgpr(machine::code::vcc));
  return values;
}

struct Row {
  const char* text;  // {s0} {s1} {s2} {d}: numbers of VGPRs
  uint32_t moves[4]; // the bits by which each moves
};

// The guide's table in 6.6.2, and what follows the general rule.
const Row rows[] = {
    {"v_mov_b32_e32 v{d}, v{s0}", {src0, 0, 0, dst}},
    {"v_mov_b64_e32 v[{d}:{d1}], v[{s0}:{s01}]", {src0, 0, 0, dst}},
    {"v_add_u32_e32 v{d}, v{s0}, v{s1}", {src0, src1, 0, dst}},
    {"v_add_u32_e64 v{d}, v{s0}, s3", {src0, 0, 0, dst}},
    {"v_sub_u32_e32 v{d}, s3, v{s1}", {0, src1, 0, dst}},
    {"v_add_co_u32_e32 v{d}, vcc, v{s0}, v{s1}", {src0, src1, 0, dst}},
    {"v_cndmask_b32_e32 v{d}, v{s0}, v{s1}, vcc", {src0, src1, 0, dst}},
    {"v_bfi_b32 v{d}, v{s0}, v{s1}, v{s2}", {src0, src1, src2, dst}},
    {"v_pk_add_u16 v{d}, v{s0}, v{s1}", {src0, src1, 0, dst}},
    {"v_lshrrev_b32_e32 v{d}, v{s0}, v{s1}", {src0, src1, 0, dst}},
    {"v_cmp_lt_u32_e32 vcc, v{s0}, v{s1}", {src0, src1, 0, 0}},
    {"v_cmp_lt_u32_e64 s[6:7], v{s0}, v{s1}", {src0, src1, 0, 0}},
    {"v_readlane_b32 s6, v{s0}, 5", {src0, 0, 0, 0}},
    {"v_readfirstlane_b32 s6, v{s0}", {src0, 0, 0, 0}},
    {"v_writelane_b32 v{d}, s3, 5", {0, 0, 0, dst}},
    {"v_fmac_f32_e32 v{d}, v{s0}, v{s1}", {src0, src1, 0, dst}}, // the accumulator is the destination
    {"v_fmaak_f32 v{d}, v{s0}, v{s1}, 0x40400000", {src0, src1, 0, dst}},
    {"v_fmamk_f32 v{d}, v{s0}, 0x40400000, v{s2}", {src0, 0, src2, dst}}, // received as the third
    {"v_mov_b32_sdwa v{d}, v{s0} dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1",
     {src0, 0, 0, dst}},
    {"v_add_u32_sdwa v{d}, v{s0}, v{s1} dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:DWORD",
     {src0, src1, 0, dst}},
    {"v_mov_b32_dpp v{d}, v{s0} row_shr:1 row_mask:0xf bank_mask:0xf", {src0, 0, 0, dst}},
};

// The row's text, its registers moved as the table says.
std::string text_of(const Row& row, uint32_t operands) {
  const auto place = [&](int operand, int at) { return at + (row.moves[operand] & operands ? distance : 0); };
  const int s0 = place(0, 4), d = place(3, 16);
  return fmt::format(fmt::runtime(row.text), fmt::arg("s0", s0), fmt::arg("s01", s0 + 1),
                     fmt::arg("s1", place(1, 8)), fmt::arg("s2", place(2, 12)), fmt::arg("d", d),
                     fmt::arg("d1", d + 1));
}

} // namespace

TEST_CASE("VGPR indexing moves the registers that the guide's table says, under every mask") {
  on_every_simd([] {
    for (const Row& row : rows)
      for (uint32_t operands = 0; operands < 16; ++operands) {
        INFO(row.text << " with mask " << operands);
        CHECK(after(text_of(row, 0), operands) == after(text_of(row, operands), 0));
      }
  });
}

TEST_CASE("VGPR indexing: AccVGPRs move in their own file, memory instructions and constants not at all") {
  OneWave w;
  fill_vgprs(w, 0, 320);
  w.run(
      "s_set_gpr_idx_on 3, gpr_idx(SRC0)\nv_accvgpr_read_b32 v8, a2\ns_set_gpr_idx_mode gpr_idx(DST)\n"
      "v_accvgpr_write_b32 a4, v9\nds_bpermute_b32 v10, v11, v12\nv_mov_b32_e32 v20, 5\ns_set_gpr_idx_off\n");
  CHECK(w.lane(8, lane) == w.lane(256 + 5, lane));
  CHECK(w.lane(256 + 7, lane) == w.lane(9, lane));
  CHECK(w.lane(10, lane) == w.lane(12, w.lane(11, lane) / 4 % 64));
  CHECK(w.lane(23, lane) == 5);
}

TEST_CASE("s_set_gpr_idx_*: fields of M0 and the bit of MODE") {
  OneWave w;
  w.sgpr(m0) = 0xAAAAAAAA;
  w.sgpr(3) = 0xFFFFFF17;
  w.run("s_set_gpr_idx_on s3, 5");
  CHECK(w.sgpr(m0) == 0xAAAA5A17);
  CHECK((w.wave().mode & index_bit) != 0);
  w.run("s_set_gpr_idx_idx 33");
  CHECK(w.sgpr(m0) == 0xAAAA5A21);
  w.run("s_set_gpr_idx_mode 12");
  CHECK(w.sgpr(m0) == 0xAAAACA21);
  w.run("s_getreg_b32 s4, hwreg(HW_REG_MODE, 27, 1)");
  CHECK(w.sgpr(4) == 1);
  w.run("s_set_gpr_idx_off");
  CHECK(w.sgpr(m0) == 0xAAAACA21);
  CHECK(w.wave().mode == OneWave::default_mode);
  w.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1\ns_mov_b32 m0, 0x1002\nv_mov_b32_e32 v8, 1.0\n"
        "v_mov_b32_e32 v1, v6\ns_set_gpr_idx_off");
  CHECK(w.lane(1, lane) == 0x3F800000);
}

TEST_CASE("VGPR indexing out of range: a source becomes v0, a destination makes the instruction nothing") {
  OneWave w({}, 64, 32);
  fill_vgprs(w, 0, 64);
  const uint32_t first = w.lane(0, lane), before = w.lane(32, lane);
  w.run("s_set_gpr_idx_on 8, gpr_idx(SRC0)\nv_mov_b32_e32 v1, v23\nv_mov_b32_e32 v2, v24\n"
        "v_mov_b64_e32 v[4:5], v[22:23]\ns_set_gpr_idx_idx 9\nv_mov_b64_e32 v[6:7], "
        "v[22:23]\ns_set_gpr_idx_off");
  CHECK(w.lane(1, lane) == w.lane(31, lane));
  CHECK(w.lane(2, lane) == first);
  CHECK(w.lane64(4, lane) == w.lane64(30, lane));
  CHECK(w.lane(6, lane) == first);
  w.run("s_set_gpr_idx_on 8, gpr_idx(DST)\nv_mov_b32_e32 v24, 7\nv_mov_b32_e32 v23, 7\ns_set_gpr_idx_off");
  CHECK(w.lane(32, lane) == before); // a0
  CHECK(w.lane(31, lane) == 7);
}

TEST_CASE("VGPR indexing stops at a matrix instruction, unless it moves nothing") {
  OneWave w;
  const std::string mfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
  w.run("s_set_gpr_idx_on 0, 15\n" + mfma + "\ns_set_gpr_idx_on 4, 0\n" + mfma);
  CHECK_THROWS_WITH(w.run("s_set_gpr_idx_on 4, 1\n" + mfma), Catch::Contains("matrix instruction"));
}

TEST_CASE("vskip: vector instructions do nothing, touch no counter, and everything else goes on") {
  OneWave w(scheduled("lazy"));
  DeviceBytes memory(1024);
  for (int l = 0; l < 64; ++l) w.set_lane64(2, l, memory.address() + static_cast<uint64_t>(l) * 4);
  fill_vgprs(w, 4, 8);
  const uint32_t kept = w.lane(4, lane);
  const std::vector<uint8_t> bytes = memory.copy();
  w.sgpr(8) = 0x100;
  w.run("s_setvskip s8, 8\nv_mov_b32_e32 v4, 0\nglobal_load_dword v4, v[2:3], off\n"
        "global_store_dword v[2:3], v5, off\nds_write_b32 v6, v5\nbuffer_inv sc1\ns_mov_b32 s9, 77");
  CHECK((w.wave().mode & vskip_bit) != 0);
  CHECK(w.wave().memory.vmcnt() == 0);
  CHECK(w.wave().memory.lgkmcnt() == 0);
  CHECK(w.lane(4, lane) == kept);
  CHECK(memory.copy() == bytes);
  CHECK(w.sgpr(9) == 77);
  w.run("s_setvskip s8, 9\nv_mov_b32_e32 v4, 3");
  CHECK(w.wave().mode == OneWave::default_mode);
  CHECK(w.lane(4, lane) == 3);
}

TEST_CASE("VGPR indexing and other modes go together") {
  OneWave w;
  for (int l = 0; l < 64; ++l) w.lane_f32(12, l) = 1e-40f; // a denormal
  w.lane_f32(1, lane) = 1.0f;
  w.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\ns_set_gpr_idx_on 4, gpr_idx(SRC0)\n"
        "v_mul_f32_e32 v6, v8, v1\ns_set_gpr_idx_off");
  CHECK(w.lane(6, lane) == 0);
}
