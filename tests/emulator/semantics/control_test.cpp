// Program control that no compiler emits, against the ISA guide's pseudo-code (12.1 to 12.3, 12.5).
#include "tests/emulator/memory_case.hpp"

#include <bit>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Forked {
  std::vector<uint32_t> order; // v1 of each lane: which way it went, and when
  uint64_t exec;
};

// Both ways of a fork write v1; s20 counts how many ways were gone. `general`: the target is in a register.
Forked forked(bool general, uint64_t exec, uint64_t condition) {
  OneWave w;
  set_lanes(w, 1, [](int) { return 0; });
  w.wave().set_exec(exec);
  w.wave().set_sgpr64(8, condition);
  const std::string text =
      "s_getreg_b32 s22, hwreg(HW_REG_MODE, 29, 3)\ns_mov_b32 s20, 0\ns_getpc_b64 s[10:11]\n" // to here
      "s_add_u32 s10, s10, 28\ns_addc_u32 s11, s11, 0\n" +
      std::string(general ? "s_cbranch_g_fork s[8:9], s[10:11]\n" : "s_cbranch_i_fork s[8:9], 4\n") +
      "s_addk_i32 s20, 16\nv_mov_b32_e32 v1, s20\ns_nop 0\ns_branch 2\n" // where the condition fails
      "s_addk_i32 s20, 1\nv_mov_b32_e32 v1, s20\n"                       // where it passes
      "s_cbranch_join s22\ns_getreg_b32 s23, hwreg(HW_REG_MODE, 29, 3)";
  w.run(text);
  CHECK(w.sgpr(23) == w.sgpr(22));
  Forked result;
  for (int l = 0; l < 64; ++l) result.order.push_back(w.lane(1, l));
  result.exec = w.wave().exec();
  return result;
}

Forked expected(uint64_t exec, uint64_t condition) {
  Forked result{std::vector<uint32_t>(64), exec};
  const uint64_t pass = condition & exec, fail = ~condition & exec;
  const auto write = [&](uint64_t lanes, uint32_t value) {
    for (int l = 0; l < 64; ++l)
      if (lanes >> l & 1) result.order[static_cast<size_t>(l)] = value;
  };
  if (pass == exec) {
    write(pass, 1);
  } else if (fail == exec) {
    write(fail, 16);
  } else {
    const bool fail_first = std::popcount(fail) < std::popcount(pass);
    write(pass, fail_first ? 17 : 1);
    write(fail, fail_first ? 16 : 17);
    result.exec = fail_first ? pass : fail;
  }
  return result;
}

} // namespace

TEST_CASE("forks take the way of fewer lanes first, and joins the other") {
  constexpr uint64_t all = ~uint64_t{0};
  for (const bool general : {false, true})
    for (const uint64_t exec : {all, uint64_t{0xFF00FF00FF00FF00}, uint64_t{1}})
      for (const uint64_t condition : {uint64_t{0}, all, uint64_t{0xFFFF}, ~uint64_t{0xFFFF}, uint64_t{1},
                                       uint64_t{0x00000000FFFFFFFF}}) {
        INFO(general << " exec " << exec << " condition " << condition);
        const Forked got = forked(general, exec, condition), want = expected(exec, condition);
        CHECK(got.order == want.order);
        CHECK(got.exec == want.exec);
      }
}

TEST_CASE("no debugger is attached: its branches are not taken") {
  for (const char* name : {"cdbgsys", "cdbguser", "cdbgsys_or_user", "cdbgsys_and_user"}) {
    INFO(name);
    OneWave w;
    w.run(fmt::format("s_mov_b32 s4, 1\ns_cbranch_{} 1\ns_mov_b32 s4, 2\ns_nop 0", name));
    CHECK(w.sgpr(4) == 2);
  }
}

TEST_CASE("what ends, kills or halts a wave, and what only a trap handler may do") {
  OneWave w;
  w.run("s_setkill 0");
  CHECK_THROWS_WITH(w.run("s_setkill 1"), Catch::Contains("kills the wave"));
  CHECK_THROWS_WITH(w.run("s_sendmsghalt sendmsg(MSG_INTERRUPT)"), Catch::Contains("halts the wave"));
  w.run("s_sendmsg sendmsg(MSG_INTERRUPT)");
  for (const char* kind : {"MSG_SAVEWAVE", "MSG_STALL_WAVE_GEN", "MSG_GET_DOORBELL"})
    CHECK_THROWS_WITH(w.run(std::string("s_sendmsg sendmsg(") + kind + ")"), Catch::Contains("trap handler"));
  CHECK_THROWS_WITH(w.run("s_sendmsg sendmsg(MSG_HALT_WAVES)"), Catch::Contains("halts the other waves"));
  for (const char* kind : {"MSG_GS_DONE, GS_OP_NOP", "0", "7", "9", "15"})
    CHECK_THROWS_WITH(w.run(std::string("s_sendmsg sendmsg(") + kind + ")"),
                      Catch::Contains("no message of a"));
  CHECK_THROWS_WITH(w.run("s_rfe_b64 s[0:1]"), Catch::Contains("trap handler"));
  CHECK_THROWS_WITH(w.run("s_rfe_restore_b64 s[0:1], s2"), Catch::Contains("trap handler"));
  CHECK(w.wave().state == machine::WaveState::running);
  w.run("s_endpgm_ordered_ps_done");
  CHECK(w.wave().state == machine::WaveState::ended);
}

TEST_CASE("v_screen_partition_4se_b32 looks the low byte up, v_mfma_ld_scale_b32 alone does nothing") {
  // (byte, entry) of the Vega guide's table, from each of its 16 rows.
  constexpr uint32_t entries[][2] = {
      {0x00, 0x1}, {0x04, 0x5}, {0x08, 0x7}, {0x11, 0x2}, {0x15, 0xa}, {0x20, 0xd}, {0x23, 0xc},
      {0x30, 0x9}, {0x33, 0x8}, {0x3b, 0xe}, {0x44, 0x4}, {0x48, 0x6}, {0x55, 0x8}, {0x5d, 0xd},
      {0x66, 0x1}, {0x6e, 0xb}, {0x77, 0x2}, {0x7f, 0x7}, {0x80, 0xb}, {0x88, 0x2}, {0x91, 0x7},
      {0x99, 0x1}, {0xa2, 0xe}, {0xaa, 0x8}, {0xb3, 0xd}, {0xbb, 0x4}, {0xc0, 0x9}, {0xcc, 0x8},
      {0xd1, 0x6}, {0xdd, 0x4}, {0xe6, 0x7}, {0xee, 0x2}, {0xf0, 0x9}, {0xff, 0x1}};
  on_every_simd([&] {
    for (const auto& [byte, entry] : entries) {
      INFO(std::hex << byte);
      CHECK(run_in_lane("v_screen_partition_4se_b32_e32 v6, v0", 0xABCDEF00 | byte) == entry);
      CHECK(run_in_lane("v_screen_partition_4se_b32_e64 v6, v0", byte) == entry);
    }
    OneWave w;
    fill_vgprs(w, 0, 16);
    const std::vector<uint32_t> before(&w.lane(0, 0), &w.lane(16, 0));
    w.run("v_mfma_ld_scale_b32 v4, v5");
    CHECK(before == std::vector<uint32_t>(&w.lane(0, 0), &w.lane(16, 0)));
  });
}
