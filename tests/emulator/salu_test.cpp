// Scalar ALU rows against values worked out from the ISA guide's definitions.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"

using fmha950::test::OneWave;

namespace {
struct Result {
  uint64_t value;
  bool scc;
  bool operator==(const Result&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Result& r) {
  return out << std::hex << r.value << " scc " << r.scc;
}

Result run(const std::string& text, uint64_t a, uint64_t b, bool scc = false) {
  OneWave w;
  w.wave().set_sgpr64(4, a);
  w.wave().set_sgpr64(6, b);
  w.wave().scc = scc;
  w.run(text);
  return {w.wave().sgpr64(8), w.wave().scc};
}
} // namespace

TEST_CASE("scalar addition and subtraction set SCC to carry, borrow or signed overflow") {
  CHECK(run("s_add_u32 s8, s4, s6", 0xFFFFFFFF, 1) == Result{0, true});
  CHECK(run("s_addc_u32 s8, s4, s6", 0xFFFFFFFF, 0, true) == Result{0, true});
  CHECK(run("s_addc_u32 s8, s4, s6", 5, 6, true) == Result{12, false});
  CHECK(run("s_sub_u32 s8, s4, s6", 1, 2) == Result{0xFFFFFFFF, true});
  CHECK(run("s_subb_u32 s8, s4, s6", 2, 1, true) == Result{0, false});
  CHECK(run("s_subb_u32 s8, s4, s6", 1, 1, true) == Result{0xFFFFFFFF, true});
  CHECK(run("s_add_i32 s8, s4, s6", 0x7FFFFFFF, 1) == Result{0x80000000, true});
  CHECK(run("s_sub_i32 s8, s4, s6", 0x80000000, 1) == Result{0x7FFFFFFF, true});
  CHECK(run("s_lshl3_add_u32 s8, s4, s6", 0x20000000, 5) == Result{5, true});
}

TEST_CASE("scalar bit fields, counts and scans") {
  CHECK(run("s_bfe_u32 s8, s4, 0x80004", 0xABCD, 0) == Result{0xBC, true});
  CHECK(run("s_bfe_i32 s8, s4, 0x40008", 0xF00, 0) == Result{0xFFFFFFFF, true});
  CHECK(run("s_bfe_u32 s8, s4, 0x200018", 0xAB123456, 0) == Result{0xAB, true});
  CHECK(run("s_bfe_u64 s[8:9], s[4:5], 0x100020", 0x1234'5678'9ABC'DEF0, 0) == Result{0x5678, true});
  CHECK(run("s_bfm_b32 s8, 4, 8", 0, 0) == Result{0xF00, false});
  CHECK(run("s_bfm_b64 s[8:9], 4, 40", 0, 0) == Result{0xF0000000000, false});
  CHECK(run("s_ff1_i32_b64 s8, s[4:5]", 1ull << 40, 0) == Result{40, false});
  CHECK(run("s_ff1_i32_b32 s8, s4", 0, 0).value == 0xFFFFFFFF);
  CHECK(run("s_flbit_i32_b32 s8, s4", 0x00010000, 0) == Result{15, false});
  CHECK(run("s_flbit_i32_b64 s8, s[4:5]", 1, 0) == Result{63, false});
  CHECK(run("s_flbit_i32 s8, s4", 0xFFFF0000, 0) == Result{16, false});
  CHECK(run("s_flbit_i32 s8, s4", 0xFFFFFFFF, 0).value == 0xFFFFFFFF);
  CHECK(run("s_bcnt1_i32_b64 s8, s[4:5]", 0xF0F0'0000'0000'0001, 0) == Result{9, true});
  CHECK(run("s_brev_b32 s8, s4", 0x80000001, 0) == Result{0x80000001, false});
  CHECK(run("s_brev_b64 s[8:9], s[4:5]", 3, 0) == Result{0xC000'0000'0000'0000, false});
  CHECK(run("s_wqm_b32 s8, s4", 0x10020, 0) == Result{0xF00F0, true});
  CHECK(run("s_quadmask_b32 s8, s4", 0x10020, 0) == Result{0x12, true});
  CHECK(run("s_bitreplicate_b64_b32 s[8:9], s4", 0x80000005, 0) == Result{0xC000'0000'0000'0033, false});
}

TEST_CASE("scalar shifts, logic, compares and selects") {
  CHECK(run("s_ashr_i32 s8, s4, 4", 0x80000000, 0) == Result{0xF8000000, true});
  CHECK(run("s_lshl_b64 s[8:9], s[4:5], 36", 0xF, 0) == Result{0xF0'0000'0000, true});
  CHECK(run("s_ashr_i64 s[8:9], s[4:5], 60", 1ull << 63, 0) == Result{0xFFFF'FFFF'FFFF'FFF8, true});
  CHECK(run("s_andn2_b64 s[8:9], s[4:5], s[6:7]", 0xFF, 0xFF) == Result{0, false});
  CHECK(run("s_nor_b32 s8, s4, s6", 0xFFFF0000, 0xFFFF) == Result{0, false});
  CHECK(run("s_cselect_b32 s8, s4, s6", 1, 2, true) == Result{1, true});
  CHECK(run("s_cselect_b64 s[8:9], s[4:5], -1", 1, 2) == Result{~0ull, false});
  CHECK(run("s_min_i32 s8, s4, s6", 0xFFFFFFFF, 1) == Result{0xFFFFFFFF, true});
  CHECK(run("s_max_u32 s8, s4, s6", 0xFFFFFFFF, 1) == Result{0xFFFFFFFF, true});
  CHECK(run("s_mul_hi_i32 s8, s4, s6", 0xFFFFFFFF, 2) == Result{0xFFFFFFFF, false});
  CHECK(run("s_mul_hi_u32 s8, s4, s6", 0xFFFFFFFF, 2) == Result{1, false});
  CHECK(run("s_abs_i32 s8, s4", 0xFFFFFFFB, 0) == Result{5, true});
  CHECK(run("s_pack_lh_b32_b16 s8, s4, s6", 0x11112222, 0x33334444) == Result{0x33332222, false});
  CHECK(run("s_cmp_lt_i32 s4, s6", 0xFFFFFFFF, 0).scc);
  CHECK_FALSE(run("s_cmp_lt_u32 s4, s6", 0xFFFFFFFF, 0).scc);
  CHECK(run("s_cmpk_eq_u32 s4, 0xfffe", 0xFFFE, 0).scc);
  CHECK(run("s_cmpk_eq_i32 s4, 0xfffe", 0xFFFFFFFE, 0).scc);
  CHECK(run("s_bitcmp1_b64 s[4:5], 40", 1ull << 40, 0).scc);
  CHECK(run("s_mov_b32 s8, 1.0", 0, 0) == Result{0x3F800000, false});
  CHECK(run("s_mov_b32 s8, -16", 0, 0) == Result{0xFFFFFFF0, false});
  CHECK(run("s_mov_b64 s[8:9], -2", 0, 0) == Result{0xFFFF'FFFF'FFFF'FFFE, false});
  CHECK(run("s_movk_i32 s8, 0x8000", 0, 0) == Result{0xFFFF8000, false});
}

TEST_CASE("EXEC is saved, combined and tested") {
  OneWave w;
  w.wave().set_exec(0xFF);
  w.wave().set_sgpr64(4, 0xF0);
  w.run("s_and_saveexec_b64 s[8:9], s[4:5]");
  CHECK(w.wave().sgpr64(8) == 0xFF);
  CHECK(w.wave().exec() == 0xF0);
  CHECK(w.wave().scc);
  w.run("s_andn2_wrexec_b64 s[8:9], s[4:5]");
  CHECK(w.wave().exec() == 0);
  CHECK_FALSE(w.wave().scc);
}

TEST_CASE("MODE is readable and writable by fields") {
  OneWave w;
  w.run("s_getreg_b32 s8, hwreg(HW_REG_MODE)");
  CHECK(w.sgpr(8) == 0xF0);
  w.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1"); // FP16_OVFL
  w.run("s_getreg_b32 s8, hwreg(HW_REG_MODE, 23, 1)");
  CHECK(w.sgpr(8) == 1);
  w.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15");
  w.run("s_getreg_b32 s8, hwreg(HW_REG_MODE)");
  CHECK(w.sgpr(8) == 0x8000FF);
}
