// Reports of the check for uninitialised values: what decides something is reported once; what a kernel
// starts with.

#include "tests/observe/shadowed_wave.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;
using Catch::Contains;

namespace {

constexpr uint64_t all = ~uint64_t{0};

} // namespace

TEST_CASE("initialised: what decides something is reported, once", "[initialised]") {
  ShadowedWave w;
  w.set_all_valid();
  Allocation memory(w);
  point_to(w, 10, memory.address(), 4);
  const auto reported = [&](const char* text, const char* what) {
    INFO(text);
    w.run(text);
    REQUIRE(w.hazards.all.size() == 1);
    CHECK(w.hazards.all[0].type == observe::HazardClass::uninitialised);
    CHECK_THAT(w.hazards.all[0].what, Contains(what));
    CHECK(w.hazards.all[0].later.address != 0);
  };
  SECTION("an address from a register that nobody wrote") {
    w.set(11, uint64_t{1} << 9, 0b1000);
    reported("global_load_dword v20, v[10:11], off\nglobal_load_dword v20, v[10:11], off",
             "v[10:11] is the address");
    CHECK(w.hazards.all[0].later.lane == 9);
    CHECK(w.hazards.all[0].earlier.address == 0);
    CHECK_THAT(w.hazards.all[0].what, Contains("a register that nobody wrote"));
  }
  SECTION("an address from memory names the load") {
    for (int lane = 0; lane < 64; ++lane) w.one.lane(12, lane) = static_cast<uint32_t>(4 * lane);
    w.run("ds_read_b32 v13, v12");
    const uint64_t origin = w.registers().vgpr_origin(13);
    w.run("v_and_b32 v13, 0xfc, v13");
    reported("ds_write_b32 v13, v1", "v13 is the address");
    CHECK(w.hazards.all[0].earlier.address == origin);
    CHECK(origin != 0);
    CHECK(w.hazards.all[0].later.lane == 0);
    CHECK(w.hazards.all[0].begin == 0);
    CHECK(w.hazards.all[0].end == 4);
    CHECK_THAT(w.hazards.all[0].what, Contains("bytes of LDS that nobody wrote"));
    CHECK_THAT(w.hazards.all[0].usually, Contains("a slot that no lane fills"));
  }
  SECTION("an address computed from a register that nobody wrote names it and its first reader") {
    w.check.start(w.one.workgroup());
    w.run("v_mov_b32 v14, 0\nv_mov_b32 v13, v30\nv_lshlrev_b32 v10, 2, v13\n"
          "ds_read_b32 v20, v10");
    REQUIRE(w.hazards.all.size() == 1);
    CHECK_THAT(w.hazards.all[0].what, Contains("comes from v30, a register that nobody wrote"));
    const observe::Origin origin(w.registers().vgpr_origin(13));
    CHECK(w.hazards.all[0].earlier.address == origin.instruction());
    CHECK(w.hazards.all[0].later.address > origin.instruction());
    CHECK_THAT(w.hazards.all[0].usually, Contains("one path leaves unset"));
  }
  SECTION("a scalar condition from a register that nobody wrote") {
    w.check.start(w.one.workgroup());
    w.run("s_cmp_lt_u32 s77, 5\ns_cbranch_scc0 0");
    REQUIRE(w.hazards.all.size() == 1);
    CHECK_THAT(w.hazards.all[0].what, Contains("scc is the condition of a branch"));
    CHECK_THAT(w.hazards.all[0].what, Contains("s77, a register that nobody wrote"));
    CHECK(w.hazards.all[0].earlier.address != 0);
  }
  SECTION("a part of a register that is written under a mask keeps the register's own name") {
    w.check.start(w.one.workgroup());
    w.one.wave().set_exec(1);
    w.run("v_mov_b32 v12, 0");
    w.one.wave().set_exec(2);
    w.run("ds_write_b32 v12, v12");
    REQUIRE(w.hazards.all.size() == 1);
    CHECK(w.hazards.all[0].earlier.address == 0);
    CHECK_THAT(w.hazards.all[0].what,
               Contains("v12 is the address of a memory access, and its value comes from v12"));
  }
  SECTION("an address in an inactive lane is nobody's") {
    w.set(10, uint64_t{1} << 9);
    w.one.wave().set_exec(0xFF);
    w.run("ds_read_b32 v20, v10");
    CHECK(w.hazards.all.empty());
  }
  SECTION("a resource descriptor") {
    w.registers().set_sgpr(6, 1, 0);
    w.one.sgpr(6) = 0;
    reported("buffer_load_dword v20, off, s[4:7], 0", "s[4:7] is the resource descriptor");
  }
  SECTION("M0 of LDS DMA") {
    w.registers().set_sgpr(124, 1, 0);
    reported("global_load_lds_dword v[10:11], off", "m0 is the address in LDS");
  }
  SECTION("SCC") {
    w.registers().set_sgpr(3, ~0u, 0);
    reported("s_cmp_lt_u32 s3, 5\ns_cbranch_scc0 0", "scc is the condition of a branch");
  }
  SECTION("VCC, unless a known bit decides") {
    w.registers().set_sgpr(106, 1, 0);
    w.one.wave().set_sgpr64(106, 2);
    w.run("s_cbranch_vccnz 0");
    CHECK(w.hazards.all.empty());
    w.one.wave().set_sgpr64(106, 0);
    reported("s_cbranch_vccnz 0", "vcc is the condition of a branch");
  }
  SECTION("EXEC, not for lanes that it masks off") {
    w.registers().set_sgpr64(106, 0xF0, 0);
    w.one.wave().set_exec(0x0F);
    w.run("s_and_saveexec_b64 s[4:5], vcc");
    CHECK(w.hazards.all.empty());
    w.one.wave().set_exec(0xFF);
    reported("s_and_saveexec_b64 s[4:5], vcc", "exec is EXEC");
  }
  SECTION("v_cmpx") {
    w.set(0, 4);
    reported("v_cmpx_lt_f32 v0, v1", "exec");
  }
}

TEST_CASE("initialised: a kernel starts with its ids and nothing else", "[initialised]") {
  ShadowedWave w;
  w.one.wave().set_exec(0xFFFF);
  w.check.start(w.one.workgroup());
  CHECK(w.lanes(0) == ~uint64_t{0xFFFF});
  CHECK(w.lanes(1) == all);
  CHECK(w.registers().sgpr(106) == ~0u);
  CHECK(w.registers().sgpr64(126) == 0);
  CHECK(w.registers().sgpr64(102) == 0);
}
