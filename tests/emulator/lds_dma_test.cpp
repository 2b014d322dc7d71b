// LDS DMA against the address rule of machine_gfx950.md section 3.2:
// LDS address = M0 + inst_offset + lane * (4, or 16 for dwordx3 and dwordx4).
#include "tests/emulator/scheduled_wave.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Case {
  const char* mnemonic;
  MemoryShape shape;
  bool buffer;
};
constexpr Case cases[] = {
    {"buffer_load_ubyte", {1}, true},
    {"buffer_load_sbyte", {1, true}, true},
    {"buffer_load_ushort", {2}, true},
    {"buffer_load_sshort", {2, true}, true},
    {"buffer_load_dword", {4}, true},
    {"buffer_load_dwordx3", {12}, true},
    {"buffer_load_dwordx4", {16}, true},
    {"global_load_lds_ubyte", {1}, false},
    {"global_load_lds_sbyte", {1, true}, false},
    {"global_load_lds_ushort", {2}, false},
    {"global_load_lds_sshort", {2, true}, false},
    {"global_load_lds_dword", {4}, false},
    {"global_load_lds_dwordx3", {12}, false},
    {"global_load_lds_dwordx4", {16}, false},
};

void buffer_descriptor(OneWave& w, uint64_t base, uint32_t num_records) {
  w.wave().set_sgpr64(8, base);
  w.sgpr(10) = num_records;
  w.sgpr(11) = 0x20000;
}

} // namespace

TEST_CASE("LDS DMA: every width, inactive lanes leave holes, inst_offset counts on both sides") {
  on_every_simd([] {
    DeviceBytes memory(4096);
    for (const Case& c : cases)
      for (uint64_t exec : {~uint64_t{0}, uint64_t{0x7000'0000'FFFF'0005}})
        for (const char* schedule : memory_orders) {
          INFO(c.mnemonic << " " << schedule << " exec " << exec);
          ScheduledWave w(schedule);
          fill_lds(w);
          const uint32_t slot = c.shape.bytes > 4 ? 16 : 4, m0 = 0x2000, offset = 24;
          w.sgpr(machine::code::m0) = m0 | 0xFFFC0000; // only M0[17:0] counts
          w.wave().set_exec(exec);
          buffer_descriptor(w, memory.address(), 4096);
          w.wave().set_sgpr64(4, memory.address());
          set_lanes(w, 0, [](int l) { return l * 41 % 64 * 32; });
          auto expected = w.lds();
          for (uint32_t l = 0; l < 64; ++l)
            for (int r = 0; r < c.shape.registers(); ++r)
              if (exec >> l & 1) {
                const uint32_t value =
                    c.shape.loaded(memory.data() + w.lane(0, static_cast<int>(l)) + offset, r);
                std::memcpy(&expected[m0 + offset + l * slot + static_cast<uint32_t>(4 * r)], &value, 4);
              }
          w.run(std::string(c.mnemonic) +
                (c.buffer ? " v0, s[8:11], 0 offen offset:24 lds" : " v0, s[4:5] offset:24") +
                "\ns_waitcnt vmcnt(0)");
          REQUIRE(w.lds() == expected);
        }
  });
}

TEST_CASE("LDS DMA: lanes out of the buffer's range write zeros, partly in range dword by dword") {
  on_every_simd([] {
    DeviceBytes memory(1024);
    OneWave w;
    fill_lds(w);
    w.sgpr(machine::code::m0) = 64;
    buffer_descriptor(w, memory.address(), 600); // lane 37: 592 .. 608
    set_lanes(w, 0, [](int l) { return l * 16; });
    w.run("buffer_load_dwordx4 v0, s[8:11], 0 offen lds");
    for (uint32_t at = 0; at < 1024; at += 4) {
      uint32_t value;
      std::memcpy(&value, &w.lds()[64 + at], 4);
      REQUIRE(value == (at + 4 <= 600 ? memory.dword(at) : 0));
    }
  });
}

TEST_CASE("LDS DMA: targets outside the workgroup's LDS are masked off") {
  DeviceBytes memory(1024);
  OneWave w;
  fill_lds(w);
  const auto before = w.lds();
  w.workgroup().lds_bytes = 4096;
  w.sgpr(machine::code::m0) = 4096 - 256;
  buffer_descriptor(w, memory.address(), 1024);
  set_lanes(w, 0, [](int l) { return l * 16; });
  w.run("buffer_load_dwordx4 v0, s[8:11], 0 offen lds"); // lanes 16.. are outside
  CHECK(std::memcmp(&w.lds()[4096 - 256], memory.data(), 256) == 0);
  CHECK(std::equal(before.begin() + 4096, before.end(), w.lds().begin() + 4096));
}

TEST_CASE("LDS DMA: lazily, LDS changes only at the wait, and vmcnt(n) delivers in order") {
  DeviceBytes memory(1024);
  OneWave w(scheduled("lazy"));
  fill_lds(w);
  const auto old = w.lds();
  w.sgpr(machine::code::m0) = 0;
  w.wave().set_sgpr64(4, memory.address());
  set_lanes(w, 0, [](int l) { return l * 4; });
  // v1, v2: LDS as the wave sees it before the wait, and after it only for the first of two.
  w.run("global_load_lds_dword v0, s[4:5]\nglobal_load_lds_dword v0, s[4:5] offset:256\n"
        "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(1)\n"
        "ds_read_b32 v2, v0\nds_read_b32 v3, v0 offset:256\ns_waitcnt lgkmcnt(0)\n"
        "s_waitcnt vmcnt(0)\nds_read_b32 v4, v0 offset:256\ns_waitcnt lgkmcnt(0)");
  for (int l = 0; l < 64; ++l) {
    const auto at = static_cast<size_t>(4 * l);
    uint32_t first, second;
    std::memcpy(&first, &old[at], 4);
    std::memcpy(&second, &old[at + 256], 4);
    REQUIRE(w.lane(1, l) == first);
    REQUIRE(w.lane(2, l) == memory.dword(at));
    REQUIRE(w.lane(3, l) == second);
    REQUIRE(w.lane(4, l) == memory.dword(at + 256));
  }
}

TEST_CASE("LDS DMA over a tile whose reads were not waited for: some random schedule lets it overtake them") {
  DeviceBytes memory(1024);
  const auto overtaken = [&](const std::string& schedule, const std::string& wait) {
    OneWave w(scheduled(schedule));
    fill_lds(w);
    const auto old = w.lds();
    w.sgpr(machine::code::m0) = 0;
    w.wave().set_sgpr64(4, memory.address());
    set_lanes(w, 0, [](int l) { return l * 4; });
    std::string text = "ds_read_b32 v1, v0\n" + wait + "global_load_lds_dword v0, s[4:5]\n";
    for (int i = 0; i < 60; ++i) text += "s_nop 0\n";
    w.run(text + "s_waitcnt vmcnt(0) lgkmcnt(0)");
    return std::memcmp(&w.lane(1, 0), old.data(), 256) != 0;
  };
  int without = 0, with = 0;
  for (int seed = 0; seed < 60; ++seed) {
    without += overtaken("random:" + std::to_string(seed), "");
    with += overtaken("random:" + std::to_string(seed), "s_waitcnt lgkmcnt(0)\n");
  }
  CHECK(without > 3);
  CHECK(with == 0);
}

TEST_CASE("scratch to LDS") {
  DeviceBytes memory(64 * 256);
  OneWave w;
  w.wave().scratch_base = memory.address();
  w.sgpr(machine::code::m0) = 512;
  w.run("scratch_load_lds_dword off, off offset:8");
  for (uint64_t l = 0; l < 64; ++l) {
    uint32_t value;
    std::memcpy(&value, &w.lds()[512 + 8 + 4 * l], 4);
    REQUIRE(value == memory.dword(2 * 256 + 4 * l));
  }
}
