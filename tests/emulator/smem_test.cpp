// Scalar memory against scalar models.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE("s_load: widths, immediate and SGPR offsets, two address bits ignored") {
  DeviceBytes memory(1024);
  OneWave w;
  w.wave().set_sgpr64(4, memory.address() + 256 + 3);
  w.sgpr(6) = 0x42;
  w.run("s_load_dword s8, s[4:5], 0x10\ns_load_dwordx2 s[10:11], s[4:5], -0x20\n"
        "s_load_dwordx4 s[12:15], s[4:5], s6\ns_load_dwordx8 s[16:23], s[4:5], s6 offset:0x12\n"
        "s_load_dwordx16 s[32:47], s[4:5], 0x100\ns_waitcnt lgkmcnt(0)");
  const auto expect = [&](int sgpr, int count, uint64_t offset) {
    for (int d = 0; d < count; ++d)
      REQUIRE(w.sgpr(sgpr + d) ==
              memory.dword(((259 + offset) & ~uint64_t{3}) + static_cast<uint64_t>(4 * d)));
  };
  expect(8, 1, 0x10);
  expect(10, 2, static_cast<uint64_t>(-0x20));
  expect(12, 4, 0x42);
  expect(16, 8, 0x54);
  expect(32, 16, 0x100);
}

TEST_CASE("s_buffer_load: dwords out of range are not loaded") {
  DeviceBytes memory(256);
  OneWave w;
  const auto descriptor = [&](uint32_t stride, uint32_t num_records) {
    w.wave().set_sgpr64(4, memory.address() | uint64_t{stride} << 48);
    w.sgpr(6) = num_records;
    w.sgpr(7) = 0x20000;
    for (int d = 0; d < 4; ++d) w.sgpr(8 + d) = 77;
  };
  descriptor(0, 40);
  w.run("s_buffer_load_dwordx4 s[8:11], s[4:7], 0x1c\ns_waitcnt lgkmcnt(0)");
  for (int d = 0; d < 4; ++d)
    CHECK(w.sgpr(8 + d) == (d < 3 ? memory.dword(static_cast<uint64_t>(28 + 4 * d)) : 77));
  descriptor(8, 5); // 40 bytes again
  w.run("s_buffer_load_dwordx4 s[8:11], s[4:7], 0x1c\ns_waitcnt lgkmcnt(0)");
  CHECK(w.sgpr(10) == memory.dword(36));
  CHECK(w.sgpr(11) == 77);
  descriptor(0, 0);
  CHECK_NOTHROW(w.run("s_buffer_load_dword s8, s[4:7], 0x0"));
  CHECK(w.sgpr(8) == 77);
}

TEST_CASE("s_store writes and s_load outside every allocation is a fault") {
  DeviceBytes memory(64);
  OneWave w;
  w.wave().set_sgpr64(4, memory.address());
  w.sgpr(8) = 1;
  w.sgpr(9) = 2;
  w.run("s_store_dwordx2 s[8:9], s[4:5], 0x8\ns_dcache_wb");
  CHECK(memory.dword(8) == 1);
  CHECK(memory.dword(12) == 2);
  CHECK_THROWS_WITH(w.run("s_load_dwordx4 s[8:11], s[4:5], 0x34"), Catch::Contains("read of 16 bytes"));
}

TEST_CASE("scalar atomics: with and without return, both widths, buffers drop what is out of range") {
  DeviceBytes memory(64);
  OneWave w;
  const uint64_t wide = 0xFFFF'FFFF;
  const uint32_t old[] = {7, 100};
  std::memcpy(memory.data(), old, 8);
  std::memcpy(memory.data() + 8, &wide, 8);
  w.wave().set_sgpr64(4, memory.address());
  w.sgpr(6) = 12; // buffer of 12 bytes
  w.sgpr(7) = 0x20000;
  for (int s : {12, 14, 16, 18}) w.wave().set_sgpr64(s, 5);
  w.sgpr(20) = 55;
  w.sgpr(21) = 100;
  w.run("s_atomic_add s12, s[4:5], 0x0\ns_atomic_smax s14, s[4:5], 0x0 glc\ns_atomic_cmpswap s[20:21], "
        "s[4:5], 0x4 glc\n"
        "s_atomic_add_x2 s[16:17], s[4:5], 0x8 glc\ns_waitcnt lgkmcnt(0)");
  CHECK(memory.dword(0) == 12);
  CHECK(w.sgpr(12) == 5); // no return
  CHECK(w.sgpr(14) == 12);
  CHECK(memory.dword(4) == 55);
  CHECK(w.sgpr(20) == 100);
  CHECK(w.wave().sgpr64(16) == wide);
  CHECK(memory.dword(12) == 1); // the carry
  w.run("s_buffer_atomic_inc_x2 s[18:19], s[4:7], 0x8 glc\ns_waitcnt lgkmcnt(0)");
  CHECK(w.wave().sgpr64(18) == 0);
  CHECK(memory.dword(8) == 4);
}

TEST_CASE("clocks advance, and identically in every run") {
  const auto run = [] {
    OneWave w;
    w.run("s_memtime s[4:5]\ns_waitcnt lgkmcnt(0)\ns_nop 0\ns_memtime s[6:7]\ns_memrealtime s[8:9]\n"
          "s_waitcnt lgkmcnt(0)");
    return std::vector<uint64_t>{w.wave().sgpr64(4), w.wave().sgpr64(6), w.wave().sgpr64(8)};
  };
  const auto first = run();
  CHECK(first[1] > first[0]);
  CHECK(run() == first);
}
