// Validity in LDS and device memory:
// what copies, partial stores, buffers' ends, LDS DMA and atomics make of it.

#include "emulator/loader/code_object.hpp"
#include "tests/observe/shadowed_wave.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;
using Catch::Contains;

namespace {
constexpr uint64_t all = ~uint64_t{0};
}

TEST_CASE("initialised: memory", "[initialised]") {
  ShadowedWave w;
  w.set_all_valid();
  Allocation memory(w);
  point_to(w, 10, memory.address(), 16);
  SECTION("unused slots may be copied through LDS") {
    memory.device.host_wrote(memory.address(), 256); // lanes 0 .. 15
    for (int lane = 0; lane < 64; ++lane) w.one.lane(12, lane) = static_cast<uint32_t>(16 * lane);
    w.run("global_load_dwordx4 v[20:23], v[10:11], off\n"
          "ds_write_b128 v12, v[20:23]\n"
          "ds_read_b128 v[24:27], v12\n"
          "global_store_dwordx4 v[10:11], v[24:27], off offset:2048");
    for (int r = 20; r < 28; ++r) CHECK(w.lanes(r) == ~uint64_t{0xFFFF});
    CHECK(w.hazards.all.empty());
    CHECK(!memory.device.host_read(memory.address() + 2048, 256));
    const auto hazard = memory.device.host_read(memory.address() + 2048, 512);
    REQUIRE(hazard);
    CHECK(hazard->begin == memory.address() + 2048 + 256);
    CHECK(hazard->end == memory.address() + 2048 + 512);
    CHECK(hazard->earlier.address != 0); // the store
    CHECK_THAT(hazard->what, Contains("a kernel computed"));
  }
  SECTION("halves that are written one after the other") {
    w.run("v_mov_b32 v0, 0\nglobal_store_short v[10:11], v0, off\nglobal_store_short v[10:11], v0, off "
          "offset:2\n"
          "global_load_dword v20, v[10:11], off\nglobal_load_dword v21, v[10:11], off offset:4");
    CHECK(w.lanes(20) == 0);
    CHECK(w.lanes(21) == all);
  }
  SECTION("half a register") {
    w.set(20, all);
    memory.device.host_wrote(memory.address(), 8192);
    w.run("ds_write_b16 v12, v20");
    w.set(20, all, 0b0011);
    w.run("v_mov_b32_sdwa v20, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0");
    CHECK(w.lanes(20) == 0);
  }
  SECTION("a buffer load out of range gives valid zeros") {
    w.one.sgpr(4) = static_cast<uint32_t>(memory.address());
    w.one.sgpr(5) = static_cast<uint32_t>(memory.address() >> 32);
    w.one.sgpr(6) = 40; // bytes: two dwords of lane 2 and nothing after
    w.one.sgpr(7) = 0x00020000;
    for (int lane = 0; lane < 64; ++lane) w.one.lane(12, lane) = static_cast<uint32_t>(16 * lane);
    w.run("buffer_load_dwordx4 v[20:23], v12, s[4:7], 0 offen");
    CHECK(w.lanes(20) == 7);
    CHECK(w.lanes(22) == 3);
    CHECK(w.lanes(23) == 3);
  }
  SECTION("what has a format depends on its whole element, and the other way round") {
    w.one.sgpr(4) = static_cast<uint32_t>(memory.address());
    w.one.sgpr(5) = static_cast<uint32_t>(memory.address() >> 32);
    w.one.sgpr(6) = 8192;
    w.one.sgpr(7) = 0x00020000;
    for (int lane = 0; lane < 64; ++lane) w.one.lane(12, lane) = static_cast<uint32_t>(16 * lane);
    memory.device.host_wrote(memory.address(), 33); // of lane 2's two bytes only the first
    w.run("tbuffer_load_format_xy v[20:21], v12, s[4:7], 0 "
          "format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_UINT] offen");
    CHECK(w.lanes(20) == ~uint64_t{3});
    CHECK(w.lanes(21) == ~uint64_t{3});
    CHECK(w.bytes(20, 2) == 0b1111);
    w.set(22, 0b100, 0b1000);
    w.run("tbuffer_store_format_x v22, v12, s[4:7], 0 "
          "format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] offen offset:1024\n"
          "buffer_load_ushort v23, v12, s[4:7], 0 offen offset:1024");
    CHECK(w.bytes(23, 1) == 0b0010); // the byte beside it was not stored
    CHECK(w.bytes(23, 2) == 0b0011);
  }
  SECTION("LDS DMA carries validity") {
    memory.device.host_wrote(memory.address(), 512);
    w.one.wave().sgpr[124] = 64;
    for (int lane = 0; lane < 64; ++lane) w.one.lane(12, lane) = static_cast<uint32_t>(4 * lane);
    w.run("global_load_lds_dword v[10:11], off\nds_read_b32 v20, v12 offset:64\nds_read_b32 v21, v12 "
          "offset:1024");
    CHECK(w.lanes(20) == 0xFFFFFFFF00000000);
    CHECK(w.lanes(21) == all);
  }
  SECTION("atomics: memory is valid when both were") {
    memory.device.host_wrote(memory.address(), 512);
    w.run("global_atomic_add v20, v[10:11], v1, off sc0");
    CHECK(w.lanes(20) == 0xFFFFFFFF00000000);
    w.run("global_load_dword v21, v[10:11], off\nglobal_atomic_swap v[10:11], v1, off\n"
          "global_load_dword v22, v[10:11], off");
    CHECK(w.lanes(21) == 0xFFFFFFFF00000000);
    CHECK(w.lanes(22) == 0);
  }
  SECTION("scalar loads; memory that nobody announced is valid") {
    memory.device.host_wrote(memory.address(), 4);
    w.one.wave().set_sgpr64(4, memory.address());
    w.run("s_load_dwordx2 s[8:9], s[4:5], 0x0");
    CHECK(w.registers().sgpr(8) == 0);
    CHECK(w.registers().sgpr(9) == ~0u);
    memory.device.released(memory.address());
    w.forget_memory();
    w.run("s_load_dwordx2 s[8:9], s[4:5], 0x0");
    CHECK(w.registers().sgpr(9) == 0);
  }
  SECTION("copies within the device take validity along") {
    memory.device.host_wrote(memory.address() + 100, 50);
    memory.device.copied(memory.address() + 5000, memory.address() + 90, 70);
    CHECK(!memory.device.host_read(memory.address() + 5010, 50));
    const auto hazard = memory.device.host_read(memory.address() + 5000, 70);
    REQUIRE(hazard);
    CHECK(hazard->begin == memory.address() + 5000);
    CHECK(hazard->end == memory.address() + 5010);
    CHECK(hazard->earlier.address == 0);
    CHECK_THAT(hazard->what, Contains("neither the host nor a kernel wrote"));
  }
  SECTION("a kernel that is unloaded is no longer named, but it did compute the bytes") {
    const loader::Kernel unloaded[2], kept;
    memory.device.find(memory.address())->write(memory.address(), 4, 0xF, 64, &unloaded[1]);
    memory.device.find(memory.address())->write(memory.address() + 4096, 4, 0xF, 128, &kept);
    memory.device.forget_writers(unloaded);
    const auto gone = memory.device.host_read(memory.address(), 4);
    REQUIRE(gone);
    CHECK(gone->kernel == nullptr);
    CHECK(gone->earlier.address == 0);
    CHECK_THAT(gone->what, Contains("a kernel computed"));
    const auto named = memory.device.host_read(memory.address() + 4096, 4);
    REQUIRE(named);
    CHECK(named->kernel == &kept);
    CHECK(named->earlier.address == 128);
  }
  SECTION("every byte of an odd allocation") {
    Allocation odd(w, 4096 + 77);
    CHECK(odd.device.host_read(odd.address() + 4096, 77));
    odd.device.host_wrote(odd.address(), 4096 + 76);
    CHECK(!odd.device.host_read(odd.address(), 4096 + 76));
    CHECK(odd.device.host_read(odd.address(), 4096 + 77)->begin == odd.address() + 4096 + 76);
    odd.device.host_wrote(odd.address() + 4096 + 76, 1);
    CHECK(!odd.device.host_read(odd.address(), 4096 + 77));
  }
}
