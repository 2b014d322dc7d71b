// Global, scratch and flat addresses (machine_gfx950.md section 4.3) against scalar models.
#include "tests/emulator/scheduled_wave.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

// Where byte `offset` of lane l's private memory lies.
uint64_t scratch_byte(uint64_t offset, int l) {
  return offset / 4 * 256 + static_cast<uint64_t>(l) * 4 + offset % 4;
}

} // namespace

TEST_CASE("global loads and stores: every width, VGPR pair and negative offset") {
  on_every_simd([] {
    DeviceBytes memory(4096);
    for (uint64_t exec : {~uint64_t{0}, uint64_t{0x8000'1234'5678'0001}}) {
      for (const LoadOrStore& c : loads) {
        INFO(c.suffix);
        OneWave w;
        fill_vgprs(w, 8, 4);
        const std::vector<uint32_t> before(&w.lane(8, 0), &w.lane(12, 0));
        set_lanes64(w, 0,
                    [&](int l) { return memory.address() + static_cast<uint64_t>(l * 37 % 64 * 33) + 100; });
        w.wave().set_exec(exec);
        w.run("global_load_" + std::string(c.suffix) + " " + registers(8, c.shape.registers()) +
              ", v[0:1], off offset:-100");
        for (int l = 0; l < 64; ++l)
          for (int r = 0; r < c.shape.registers(); ++r)
            REQUIRE(w.lane(8 + r, l) == (exec >> l & 1 ? c.shape.loaded(memory.data() + l * 37 % 64 * 33, r)
                                                       : before[static_cast<size_t>(64 * r + l)]));
      }
      for (const LoadOrStore& c : stores) {
        INFO(c.suffix);
        OneWave w;
        fill_vgprs(w, 8, 4);
        set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(l * 37 % 64 * 33); });
        w.wave().set_exec(exec);
        std::vector<uint8_t> expected = memory.copy();
        for (int l = 0; l < 64; ++l) {
          const uint32_t data[4] = {w.lane(8, l), w.lane(9, l), w.lane(10, l), w.lane(11, l)};
          if (exec >> l & 1) c.shape.store(data, &expected[static_cast<size_t>(l * 37 % 64 * 33 + 5)]);
        }
        w.run("global_store_" + std::string(c.suffix) + " v[0:1], " + registers(8, c.shape.registers()) +
              ", off offset:5");
        REQUIRE(memory.copy() == expected);
      }
    }
  });
}

TEST_CASE("global saddr: the VGPR is zero-extended") {
  const uint64_t bytes = (uint64_t{1} << 32) + 4096;
  auto* pool = static_cast<uint8_t*>(machine::AddressSpace::device().allocate(bytes));
  REQUIRE(pool);
  const uint32_t high = 0xFFFFFFF0, low = 64;
  const uint32_t marks[] = {11, 22};
  std::memcpy(pool + high + 8, &marks[0], 4);
  std::memcpy(pool + low + 8, &marks[1], 4);
  OneWave w;
  w.wave().set_sgpr64(4, reinterpret_cast<uint64_t>(pool) + 16);
  set_lanes(w, 0, [&](int l) { return l % 2 ? low : high; });
  w.run("global_load_dword v1, v0, s[4:5] offset:-8");
  for (int l = 0; l < 64; ++l) REQUIRE(w.lane(1, l) == (l % 2 ? 22 : 11));
  machine::AddressSpace::device().release(pool);
}

TEST_CASE("global: destination over its own address registers") {
  DeviceBytes memory(4096);
  for (const char* schedule : schedules) {
    CAPTURE(schedule);
    ScheduledWave w(schedule);
    set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(l) * 16; });
    w.run("global_load_dwordx4 v[0:3], v[0:1], off\ns_waitcnt vmcnt(0)");
    for (int l = 0; l < 64; ++l)
      for (int d = 0; d < 4; ++d)
        REQUIRE(w.lane(d, l) == memory.dword(static_cast<uint64_t>(l * 16 + 4 * d)));
  }
}

TEST_CASE("scratch: dwords interleaved over the wave, ST, SS, SV and SVS forms") {
  on_every_simd([] {
    DeviceBytes memory(64 * 256);
    const auto byte = [&](uint64_t offset, int l) { return memory.data()[scratch_byte(offset, l)]; };
    struct Form {
      const char* operands;
      bool sgpr, vgpr;
    };
    for (const Form& form : {Form{"off, off offset:40", false, false}, Form{"off, s4 offset:40", true, false},
                             Form{"v0, off offset:40", false, true}, Form{"v0, s4 offset:40", true, true}})
      for (const LoadOrStore& c : loads)
        for (bool scattered : {false, true}) {
          INFO(c.suffix << " " << form.operands << " scattered " << scattered);
          OneWave w;
          w.wave().scratch_base = memory.address();
          w.sgpr(4) = scattered ? 3 : 8;
          set_lanes(w, 0, [&](int l) { return scattered ? l * 5 % 64 : 16; });
          w.run("scratch_load_" + std::string(c.suffix) + " " + registers(8, c.shape.registers()) + ", " +
                form.operands);
          for (int l = 0; l < 64; ++l) {
            uint8_t bytes[16];
            for (uint64_t b = 0; b < 16; ++b)
              bytes[b] = byte(40 + (form.sgpr ? w.sgpr(4) : 0) + (form.vgpr ? w.lane(0, l) : 0) + b, l);
            for (int r = 0; r < c.shape.registers(); ++r)
              REQUIRE(w.lane(8 + r, l) == c.shape.loaded(bytes, r));
          }
        }
  });
}

TEST_CASE("scratch stores come back through scratch loads, under EXEC") {
  DeviceBytes memory(64 * 256);
  OneWave w;
  w.wave().scratch_base = memory.address();
  fill_vgprs(w, 8, 4);
  w.wave().set_exec(0xFFFF'0000'FFFF'0001);
  std::vector<uint8_t> expected = memory.copy();
  for (int l = 0; l < 64; ++l)
    for (uint64_t b = 0; b < 16; ++b)
      if (w.wave().exec() >> l & 1)
        expected[scratch_byte(6 + b, l)] =
            static_cast<uint8_t>(w.lane(8 + static_cast<int>(b / 4), l) >> (8 * (b % 4)));
  w.run("scratch_store_dwordx4 off, v[8:11], off offset:6\nscratch_load_dwordx4 v[12:15], off, off offset:6");
  REQUIRE(memory.copy() == expected);
  for (int l = 0; l < 64; ++l)
    for (int d = 0; d < 4; ++d)
      if (w.wave().exec() >> l & 1) REQUIRE(w.lane(12 + d, l) == w.lane(8 + d, l));
}

TEST_CASE("flat: lanes in LDS, scratch and device memory in one instruction") {
  on_every_simd([] {
    for (const char* schedule : memory_orders) {
      CAPTURE(schedule);
      DeviceBytes memory(4096), scratch(64 * 256, 5);
      ScheduledWave w(schedule);
      fill_lds(w);
      w.wave().scratch_base = scratch.address();
      set_lanes64(w, 0, [&](int l) -> uint64_t {
        const auto n = static_cast<uint64_t>(l);
        return l % 3 == 0   ? machine::shared_aperture + n * 24
               : l % 3 == 1 ? machine::private_aperture + 32
                            : memory.address() + n * 20;
      });
      fill_vgprs(w, 4, 2);
      w.run("flat_load_dwordx2 v[2:3], v[0:1] offset:8\nflat_store_dwordx2 v[0:1], v[4:5] offset:16\n"
            "flat_load_dwordx2 v[6:7], v[0:1] offset:16\ns_waitcnt vmcnt(0) lgkmcnt(0)");
      for (int l = 0; l < 64; ++l) {
        const auto n = static_cast<uint64_t>(l);
        uint32_t expected;
        if (l % 3 == 0)
          std::memcpy(&expected, &w.lds()[n * 24 + 8], 4);
        else
          expected = l % 3 == 1 ? scratch.dword(scratch_byte(40, l)) : memory.dword(n * 20 + 8);
        REQUIRE(w.lane(2, l) == expected);
        REQUIRE(w.lane64(6, l) == w.lane64(4, l));
      }
    }
  });
}

TEST_CASE("flat: a destination over its address registers, lanes in both LDS and memory") {
  DeviceBytes memory(4096);
  OneWave w;
  fill_lds(w);
  set_lanes64(w, 0, [&](int l) -> uint64_t {
    return (l % 2 ? machine::shared_aperture : memory.address()) + static_cast<uint64_t>(l) * 8;
  });
  const auto lds = w.lds();
  w.run("flat_load_dwordx2 v[0:1], v[0:1]\ns_waitcnt vmcnt(0) lgkmcnt(0)");
  for (int l = 0; l < 64; ++l) {
    uint32_t expected;
    std::memcpy(&expected, l % 2 ? &lds[static_cast<size_t>(l) * 8] : memory.data() + l * 8, 4);
    REQUIRE(w.lane(0, l) == expected);
  }
}

TEST_CASE("global and flat accesses outside every allocation are faults") {
  DeviceBytes memory(256);
  OneWave w;
  set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(l) * 4; });
  CHECK_THROWS_WITH(w.run("global_load_dwordx2 v[2:3], v[0:1], off"), Catch::Contains("read of 8 bytes"));
  CHECK_NOTHROW(w.run("global_load_dword v2, v[0:1], off"));
  w.set_lane64(0, 9, 16);
  CHECK_THROWS_WITH(w.run("flat_store_dword v[0:1], v2"), Catch::Contains("write of 4 bytes at 0x10"));
  w.set_lane64(0, 9, machine::shared_aperture);
  CHECK_THROWS_WITH(w.run("global_load_dword v2, v[0:1], off"), Catch::Contains("outside every allocation"));
}
