// Rows that fit no table: EXEC and indexed SGPR moves, four-register sums, scalar stores and wide buffer
// loads, MODE from a register, and what changes nothing.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE("EXEC is saved and combined") {
  struct Form {
    const char* name;
    uint64_t (*combine)(uint64_t source, uint64_t exec);
  };
  const Form saving[] = {
      {"and", [](uint64_t s, uint64_t e) { return s & e; }},
      {"or", [](uint64_t s, uint64_t e) { return s | e; }},
      {"xor", [](uint64_t s, uint64_t e) { return s ^ e; }},
      {"andn1", [](uint64_t s, uint64_t e) { return ~s & e; }},
      {"andn2", [](uint64_t s, uint64_t e) { return s & ~e; }},
      {"orn1", [](uint64_t s, uint64_t e) { return ~s | e; }},
      {"orn2", [](uint64_t s, uint64_t e) { return s | ~e; }},
      {"nand", [](uint64_t s, uint64_t e) { return ~(s & e); }},
      {"nor", [](uint64_t s, uint64_t e) { return ~(s | e); }},
      {"xnor", [](uint64_t s, uint64_t e) { return ~(s ^ e); }},
  };
  for (const auto& [source, exec] : {std::pair{0xF0F0'1234'8765'0001ull, 0xFF00'FFFF'0000'0001ull},
                                     {~0ull, ~0ull},
                                     {0ull, 0ull},
                                     {0ull, ~0ull}})
    for (const Form& form : saving)
      for (const bool saves : {true, false}) {
        const std::string name = form.name;
        if (!saves && name != "andn1" && name != "andn2") continue;
        OneWave w;
        w.wave().set_sgpr64(4, source);
        w.wave().set_exec(exec);
        INFO(name << (saves ? "_saveexec" : "_wrexec"));
        w.run("s_" + name + (saves ? "_saveexec" : "_wrexec") + "_b64 s[8:9], s[4:5]");
        const uint64_t want = form.combine(source, exec);
        CHECK(w.wave().exec() == want);
        CHECK(w.wave().sgpr64(8) == (saves ? exec : want));
        CHECK(w.wave().scc == (want != 0));
      }
}

TEST_CASE("SGPRs indexed by M0") {
  OneWave w;
  for (int i = 0; i < 32; ++i) w.sgpr(i) = static_cast<uint32_t>(100 + i);
  w.sgpr(machine::code::m0) = 6;
  w.run("s_movrels_b32 s40, s4\ns_movrels_b64 s[42:43], s[4:5]\ns_movreld_b32 s20, s3\ns_movreld_b64 "
        "s[22:23], s[2:3]");
  CHECK(w.sgpr(40) == 110);
  CHECK(w.wave().sgpr64(42) == (110 | uint64_t{111} << 32));
  CHECK(w.sgpr(26) == 103);
  CHECK(w.wave().sgpr64(28) == (102 | uint64_t{103} << 32));
}

TEST_CASE("v_mqsad_u32_u8 adds four masked sums of byte differences") {
  OneWave w;
  fill_vgprs(w, 0, 8);
  // Reference bytes, some zero.
  set_lanes(w, 2, [](int l) { return l % 3 ? 0x12003456u * static_cast<uint32_t>(l) : 0x00AB00CDu; });
  w.run("v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]");
  for (int l = 0; l < 64; ++l)
    for (int i = 0; i < 4; ++i) {
      uint32_t sum = w.lane(4 + i, l);
      for (int b = 0; b < 4; ++b) {
        const int reference = w.lane(2, l) >> (8 * b) & 0xFF,
                  byte = static_cast<int>(w.lane64(0, l) >> (8 * (i + b)) & 0xFF);
        if (reference) sum += static_cast<uint32_t>(std::abs(byte - reference));
      }
      REQUIRE(w.lane(8 + i, l) == sum);
    }
}

TEST_CASE("accumulator moves") {
  OneWave w;
  fill_vgprs(w, 0, 1);
  w.run("v_accvgpr_write_b32 a1, v0\nv_accvgpr_mov_b32 a2, a1\nv_accvgpr_read_b32 v3, a2");
  for (int l = 0; l < 64; ++l) REQUIRE(w.lane(3, l) == w.lane(0, l));
}

TEST_CASE("v_cvt_pkaccum_u8_f32 replaces one byte of its destination") {
  OneWave w;
  set_lanes(w, 6, [](int) { return 0x11223344; });
  for (int l = 0; l < 64; ++l) w.lane_f32(0, l) = static_cast<float>(l) * 5 - 20;
  set_lanes(w, 1, [](int l) { return l; });
  w.run("v_cvt_pkaccum_u8_f32 v6, v0, v1");
  for (int l = 0; l < 64; ++l) {
    const int byte = std::clamp(5 * l - 20, 0, 255), shift = 8 * (l % 4);
    REQUIRE(w.lane(6, l) == ((0x11223344u & ~(0xFFu << shift)) | static_cast<uint32_t>(byte) << shift));
  }
}

TEST_CASE("scalar buffer loads of every width and scalar stores of every width") {
  for (const int n : {1, 2, 4, 8, 16}) {
    DeviceBytes memory(256);
    OneWave w;
    w.wave().set_sgpr64(4, memory.address());
    w.sgpr(6) = 256;
    w.sgpr(7) = 0x20000;
    const std::string suffix = n == 1 ? "dword" : "dwordx" + std::to_string(n);
    const std::string data = n == 1 ? "s16" : "s[16:" + std::to_string(15 + n) + "]";
    w.run("s_buffer_load_" + suffix + " " + data + ", s[4:7], 0x24\ns_waitcnt lgkmcnt(0)");
    for (int d = 0; d < n; ++d) REQUIRE(w.sgpr(16 + d) == memory.dword(static_cast<uint64_t>(0x24 + 4 * d)));
    if (n > 4) continue;
    for (const bool buffer : {false, true}) {
      for (int d = 0; d < n; ++d) w.sgpr(16 + d) = static_cast<uint32_t>(d + (buffer ? 900 : 500));
      w.run((buffer ? "s_buffer_store_" : "s_store_") + suffix + " " + data +
            (buffer ? ", s[4:7]" : ", s[4:5]") + ", 0x40\ns_dcache_wb");
      for (int d = 0; d < n; ++d)
        REQUIRE(memory.dword(static_cast<uint64_t>(0x40 + 4 * d)) ==
                static_cast<uint32_t>(d + (buffer ? 900 : 500)));
    }
  }
}

TEST_CASE("scalar scratch: SGPR offsets count 64 bytes") {
  for (const int n : {1, 2, 4}) {
    DeviceBytes memory(512);
    OneWave w;
    w.wave().set_sgpr64(4, memory.address());
    w.sgpr(6) = 3;
    const std::string suffix = n == 1 ? "dword " : "dwordx" + std::to_string(n) + " ";
    const auto data = [n](int first) {
      return n == 1 ? "s" + std::to_string(first)
                    : "s[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]";
    };
    w.run("s_scratch_load_" + suffix + data(16) + ", s[4:5], s6\ns_scratch_load_" + suffix + data(20) +
          ", s[4:5], 0x28\ns_waitcnt lgkmcnt(0)\ns_scratch_store_" + suffix + data(20) + ", s[4:5], s6");
    for (int d = 0; d < n; ++d) {
      const auto at = static_cast<uint64_t>(4 * d);
      CHECK(w.sgpr(20 + d) == memory.dword(0x28 + at));
      CHECK(memory.dword(192 + at) == w.sgpr(20 + d));
    }
    DeviceBytes untouched(512);
    for (int d = 0; d < n; ++d) CHECK(w.sgpr(16 + d) == untouched.dword(192 + static_cast<uint64_t>(4 * d)));
  }
}

TEST_CASE("apertures: 64 bits from their first to their last byte, 32 bits the high half") {
  OneWave w;
  w.run("s_mov_b64 s[8:9], src_shared_base\ns_mov_b64 s[10:11], src_shared_limit\n"
        "s_mov_b64 s[12:13], src_private_base\ns_mov_b64 s[14:15], src_private_limit\n"
        "s_mov_b32 s16, src_shared_limit");
  for (const int base : {8, 12}) {
    CHECK(w.sgpr(base) == 0);
    CHECK(w.sgpr(base + 1) != 0);
    CHECK(w.wave().sgpr64(base + 2) == w.wave().sgpr64(base) + 0xFFFFFFFF);
  }
  CHECK(w.sgpr(16) == w.sgpr(9));
}

TEST_CASE("MODE is written from a register") {
  OneWave w;
  w.sgpr(4) = 0b0110;
  w.run("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4");
  CHECK(w.wave().mode == 0xF6);
}

TEST_CASE("branches are taken on their condition only") {
  struct Branch {
    const char* name;
    bool (*taken)(bool scc, bool vcc, bool exec);
  };
  const Branch branches[] = {
      {"s_branch", [](bool, bool, bool) { return true; }},
      {"s_cbranch_scc0", [](bool scc, bool, bool) { return !scc; }},
      {"s_cbranch_scc1", [](bool scc, bool, bool) { return scc; }},
      {"s_cbranch_vccz", [](bool, bool vcc, bool) { return !vcc; }},
      {"s_cbranch_vccnz", [](bool, bool vcc, bool) { return vcc; }},
      {"s_cbranch_execz", [](bool, bool, bool exec) { return !exec; }},
      {"s_cbranch_execnz", [](bool, bool, bool exec) { return exec; }},
  };
  for (const Branch& branch : branches)
    for (int state = 0; state < 8; ++state) {
      const bool scc = state & 1, vcc = state & 2, exec = state & 4;
      OneWave w;
      w.wave().scc = scc;
      w.wave().set_sgpr64(machine::code::vcc, vcc ? uint64_t{1} << 40 : 0);
      w.wave().set_exec(exec ? uint64_t{1} << 63 : 0);
      w.sgpr(8) = 1;
      INFO(branch.name << " " << state);
      w.run(std::string(branch.name) + " 1\ns_mov_b32 s8, 2\ns_mov_b32 s9, 3");
      CHECK(w.sgpr(8) == (branch.taken(scc, vcc, exec) ? 1 : 2));
      CHECK(w.sgpr(9) == 3);
    }
  OneWave loop; // backwards
  loop.sgpr(8) = 5;
  loop.run("s_add_u32 s9, s9, s8\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 -4");
  CHECK(loop.sgpr(9) == 5 + 4 + 3 + 2 + 1);
}

TEST_CASE("waves wait, end, trap and know their place") {
  OneWave w;
  w.run("s_barrier");
  CHECK(w.wave().state == machine::WaveState::at_barrier);
  for (const char* end : {"s_endpgm", "s_endpgm_saved"}) {
    w.wave().state = machine::WaveState::running;
    w.run(end);
    CHECK(w.wave().state == machine::WaveState::ended);
  }
  CHECK_THROWS_WITH(w.run("s_trap 2"), Catch::Contains("s_trap 2"));
  const Code code("s_nop 0\ns_getpc_b64 s[8:9]");
  w.run(code);
  CHECK(w.wave().sgpr64(8) == code.instructions()[0].address + 8);
}

TEST_CASE("what only concerns time, caches, debuggers and other waves changes nothing of this one") {
  DeviceBytes memory(64);
  OneWave w;
  fill_vgprs(w, 0, 8);
  fill_lds(w);
  w.wave().set_sgpr64(4, memory.address());
  w.sgpr(6) = 64;
  w.sgpr(7) = 0x20000;
  const std::vector<uint32_t> vgprs(&w.lane(0, 0), &w.lane(8, 0)), sgprs(w.wave().sgpr, w.wave().sgpr + 128);
  const auto lds = w.lds(), bytes = memory.copy();
  w.run("s_nop 3\ns_sleep 1\ns_wakeup\ns_icache_inv\ns_incperflevel 1\ns_decperflevel "
        "1\ns_ttracedata\ns_sethalt 0\n"
        "s_sendmsg sendmsg(MSG_INTERRUPT)\nv_nop\nv_clrexcp\nds_nop\nbuffer_wbl2 sc1\nbuffer_inv sc1\n"
        "s_dcache_inv\ns_dcache_inv_vol\ns_dcache_wb\ns_dcache_wb_vol\ns_dcache_discard s[4:5], "
        "0x0\ns_dcache_discard_x2 s[4:5], 0x0\ns_atc_probe 0, s[4:5], 0x0\n"
        "s_atc_probe_buffer 0, s[4:7], 0x0\ns_setprio 2");
  CHECK(vgprs == std::vector<uint32_t>(&w.lane(0, 0), &w.lane(8, 0)));
  CHECK(sgprs == std::vector<uint32_t>(w.wave().sgpr, w.wave().sgpr + 128));
  CHECK(lds == w.lds());
  CHECK(bytes == memory.copy());
  CHECK(w.wave().priority == 2);
}
