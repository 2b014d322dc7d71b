// LDS reads and writes against a scalar model of bytes.
#include "tests/emulator/scheduled_wave.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Case {
  const char* mnemonic;
  MemoryShape shape;
};
constexpr Case reads[] = {
    {"ds_read_u8", {1}},
    {"ds_read_i8", {1, true}},
    {"ds_read_u16", {2}},
    {"ds_read_i16", {2, true}},
    {"ds_read_u8_d16", {1, false, 0}},
    {"ds_read_u8_d16_hi", {1, false, 1}},
    {"ds_read_i8_d16", {1, true, 0}},
    {"ds_read_i8_d16_hi", {1, true, 1}},
    {"ds_read_u16_d16", {2, false, 0}},
    {"ds_read_u16_d16_hi", {2, false, 1}},
    {"ds_read_b32", {4}},
    {"ds_read_b64", {8}},
    {"ds_read_b96", {12}},
    {"ds_read_b128", {16}},
};
constexpr Case writes[] = {
    {"ds_write_b8", {1}},   {"ds_write_b8_d16_hi", {1, false, 1}},
    {"ds_write_b16", {2}},  {"ds_write_b16_d16_hi", {2, false, 1}},
    {"ds_write_b32", {4}},  {"ds_write_b64", {8}},
    {"ds_write_b96", {12}}, {"ds_write_b128", {16}},
};

constexpr uint64_t masks[] = {~uint64_t{0}, 0x8000'0000'0000'0001, 0x0F0F'3355'0000'FFFF, 0};

// Lanes 16 bytes apart in scrambled order; from lane 60 on around and past the end of an allocation of
// `size` bytes when `past_end`.
uint32_t lane_address(int l, uint32_t size, bool past_end) {
  constexpr uint32_t edges[] = {3, 13, 16, 0xFFFFFF00};
  if (past_end && l >= 60) return l == 63 ? edges[3] : size - edges[l - 60];
  return static_cast<uint32_t>(l * 37 % 64 * 16);
}

} // namespace

TEST_CASE("ds reads: every width, EXEC masks, offsets, beyond the allocation") {
  on_every_simd([] {
    for (const Case& c : reads)
      for (uint64_t exec : masks)
        for (bool past_end : {false, true}) {
          INFO(c.mnemonic << " exec " << exec << " past end " << past_end);
          OneWave w;
          fill_lds(w);
          const uint32_t size = w.workgroup().lds_bytes = 2048, offset = past_end ? 0 : 20;
          fill_vgprs(w, 8, 4);
          set_lanes(w, 0, [&](int l) { return lane_address(l, size, past_end); });
          const std::vector<uint32_t> before(&w.lane(8, 0), &w.lane(12, 0));
          w.wave().set_exec(exec);
          w.run(std::string(c.mnemonic) + " " + registers(8, c.shape.registers()) +
                ", v0 offset:" + std::to_string(offset) + "\ns_waitcnt lgkmcnt(0)");
          for (int l = 0; l < 64; ++l) {
            uint8_t bytes[16] = {};
            for (uint64_t b = 0; b < 16; ++b) {
              const uint64_t at = w.lane(0, l) + uint64_t{offset} + b;
              if (at < size) bytes[b] = w.lds()[at];
            }
            for (int r = 0; r < 4; ++r) {
              const bool loaded = exec >> l & 1 && r < c.shape.registers();
              REQUIRE(w.lane(8 + r, l) ==
                      (loaded ? c.shape.loaded(bytes, r) : before[static_cast<size_t>(64 * r + l)]));
            }
          }
        }
  });
}

TEST_CASE("ds writes: every width, EXEC masks, offsets, beyond the allocation") {
  on_every_simd([] {
    for (const Case& c : writes)
      for (uint64_t exec : masks)
        for (bool past_end : {false, true}) {
          INFO(c.mnemonic << " exec " << exec << " past end " << past_end);
          OneWave w;
          fill_lds(w);
          const uint32_t size = w.workgroup().lds_bytes = 2048, offset = past_end ? 0 : 20;
          fill_vgprs(w, 4, 4);
          set_lanes(w, 0, [&](int l) { return lane_address(l, size, past_end); });
          std::vector<uint8_t> expected = w.lds();
          w.wave().set_exec(exec);
          for (int l = 0; l < 64; ++l) {
            if (!(exec >> l & 1)) continue;
            const uint32_t data[4] = {w.lane(4, l), w.lane(5, l), w.lane(6, l), w.lane(7, l)};
            uint8_t bytes[16];
            c.shape.store(data, bytes);
            for (uint64_t b = 0; b < static_cast<uint64_t>(c.shape.bytes); ++b) {
              const uint64_t at = w.lane(0, l) + uint64_t{offset} + b;
              if (at < size) expected[at] = bytes[b];
            }
          }
          w.run(std::string(c.mnemonic) + " v0, " + registers(4, c.shape.registers()) +
                " offset:" + std::to_string(offset) + "\ns_waitcnt lgkmcnt(0)");
          REQUIRE(w.lds() == expected);
        }
  });
}

TEST_CASE("ds read2 and write2: two element offsets, st64 in units of 64 elements") {
  struct Case2 {
    const char* read;
    const char* write;
    uint32_t bytes, unit;
  };
  for (const Case2& c :
       {Case2{"ds_read2_b32", "ds_write2_b32", 4, 4}, Case2{"ds_read2_b64", "ds_write2_b64", 8, 8},
        Case2{"ds_read2st64_b32", "ds_write2st64_b32", 4, 256},
        Case2{"ds_read2st64_b64", "ds_write2st64_b64", 8, 512}}) {
    INFO(c.read);
    OneWave w;
    fill_lds(w);
    const auto original = w.lds();
    set_lanes(w, 0, [](int l) { return l * 2048; });
    fill_vgprs(w, 4, 4);
    const int n = static_cast<int>(c.bytes / 4);
    w.run(std::string(c.read) + " " + registers(8, 2 * n) + ", v0 offset0:1 offset1:3\n" + c.write + " v0, " +
          registers(4, n) + ", " + registers(6, n) + " offset0:2 offset1:0");
    for (uint32_t l = 0; l < 64; ++l)
      for (int which = 0; which < 2; ++which)
        for (int d = 0; d < n; ++d) {
          uint32_t expected, written;
          std::memcpy(&expected,
                      &original[l * 2048 + (which ? 3 : 1) * c.unit + static_cast<uint32_t>(4 * d)], 4);
          std::memcpy(&written, &w.lds()[l * 2048 + (which ? 0 : 2) * c.unit + static_cast<uint32_t>(4 * d)],
                      4);
          REQUIRE(w.lane(8 + n * which + d, static_cast<int>(l)) == expected);
          REQUIRE(written == w.lane((which ? 6 : 4) + d, static_cast<int>(l)));
        }
  }
}

TEST_CASE("ds addtid: M0 and the lane make the address") {
  OneWave w;
  fill_lds(w);
  fill_vgprs(w, 4, 1);
  w.run("s_movk_i32 m0, 0x400\ns_nop 0\nds_write_addtid_b32 v4 offset:16\nds_read_addtid_b32 v5 offset:20");
  for (int l = 0; l < 63; ++l) REQUIRE(w.lane(5, l) == w.lane(4, l + 1));
  uint32_t last;
  std::memcpy(&last, &w.lds()[0x400 + 16 + 4 * 63], 4);
  CHECK(last == w.lane(4, 63));
}

TEST_CASE("ds: a wave's own write and read are in order without a wait, under every schedule") {
  for (const char* schedule : schedules) {
    ScheduledWave w(schedule);
    set_lanes(w, 0, [](int l) { return l * 4; });
    fill_vgprs(w, 4, 1);
    w.run("ds_write_b32 v0, v4\nds_read_b32 v5, v0\nds_write_b32 v0, v0\ns_waitcnt lgkmcnt(0)");
    for (int l = 0; l < 64; ++l) REQUIRE(w.lane(5, l) == w.lane(4, l));
  }
}
