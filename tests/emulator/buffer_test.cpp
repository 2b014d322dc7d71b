// Buffer instructions against the rules of machine_gfx950.md sections 4.1 and 4.2, restated for one lane.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Descriptor {
  uint64_t base = 0;
  uint32_t stride = 0, num_records = 0;
  bool swizzle = false, add_tid = false;
  uint32_t index_stride_code = 0; // 8 << code
  uint32_t stride_high = 0;       // [17:14], with add_tid
};
void set_descriptor(OneWave& w, int sgpr, const Descriptor& d) {
  w.sgpr(sgpr) = static_cast<uint32_t>(d.base);
  w.sgpr(sgpr + 1) =
      static_cast<uint32_t>(d.base >> 32) | d.stride << 16 | static_cast<uint32_t>(d.swizzle) << 31;
  w.sgpr(sgpr + 2) = d.num_records;
  w.sgpr(sgpr + 3) = (d.add_tid ? d.stride_high << 15 : 0x20000) | d.index_stride_code << 21 |
                     static_cast<uint32_t>(d.add_tid) << 23;
}

constexpr int lanes = 64;
constexpr const char* wide_loads[] = {"buffer_load_dword", "buffer_load_dwordx2", "buffer_load_dwordx3",
                                      "buffer_load_dwordx4"};

// Raw buffer: dword i of an access is in range iff offset + soffset + 4(i+1) <= num_records, offset =
// voffset + inst_offset modulo 2^32, the address sum in 64 bits.
uint32_t raw_dword(const DeviceBytes& memory, uint32_t voffset, uint32_t inst, uint32_t soffset,
                   uint32_t num_records, uint64_t i) {
  const uint64_t offset = uint32_t(voffset + inst);
  if (offset + soffset + 4 * (i + 1) > num_records) return 0;
  return memory.dword(offset + soffset + 4 * i);
}

} // namespace

TEST_CASE("buffer loads: clamped dword by dword around num_records, soffset counts") {
  DeviceBytes memory(1024);
  on_every_simd([&] {
    for (int n = 1; n <= 4; ++n)
      for (uint32_t num_records : {0u, 3u, 4u, 200u, 201u, 255u, 256u})
        for (uint32_t soffset : {0u, 8u, 300u}) {
          INFO(n << " dwords, num_records " << num_records << ", soffset " << soffset);
          OneWave w;
          set_descriptor(w, 8, {memory.address(), 0, num_records});
          w.sgpr(4) = soffset;
          set_lanes(w, 0, [](int l) { return l * 4 + (l == 7 ? 1 : 0); });
          fill_vgprs(w, 8, 4);
          w.run(std::string(wide_loads[n - 1]) + " " + registers(8, n) + ", v0, s[8:11], s4 offen offset:12");
          for (int l = 0; l < lanes; ++l)
            for (int i = 0; i < n; ++i)
              REQUIRE(w.lane(8 + i, l) ==
                      raw_dword(memory, w.lane(0, l), 12, soffset, num_records, static_cast<uint64_t>(i)));
        }
  });
}

TEST_CASE("buffer stores: dropped dword by dword, inactive lanes store nothing") {
  on_every_simd([] {
    for (uint64_t exec : {~uint64_t{0}, uint64_t{0xF0F0'0000'FFFF'1234}}) {
      DeviceBytes memory(2048);
      std::vector<uint8_t> expected = memory.copy();
      OneWave w;
      const uint32_t num_records = 1000;
      set_descriptor(w, 8, {memory.address(), 0, num_records});
      set_lanes(w, 0, [](int l) { return l * 16 + 4; }); // lane 61: 980 .. 996, lane 62: 996 .. 1012
      fill_vgprs(w, 4, 4);
      w.wave().set_exec(exec);
      for (uint32_t l = 0; l < lanes; ++l)
        for (uint32_t i = 0; i < 4; ++i)
          if (exec >> l & 1 && l * 16 + 4 + 4 * (i + 1) <= num_records)
            std::memcpy(&expected[l * 16 + 4 + 4 * i], &w.lane(static_cast<int>(4 + i), static_cast<int>(l)),
                        4);
      w.run("buffer_store_dwordx4 v[4:7], v0, s[8:11], 0 offen");
      REQUIRE(memory.copy() == expected);
    }
  });
}

TEST_CASE("buffer: bytes and halves, both halves of a register") {
  DeviceBytes memory(512);
  OneWave w;
  set_descriptor(w, 8, {memory.address(), 0, 300});
  set_lanes(w, 0, [](int l) { return l * 3; });
  const auto byte = [&](int l, int b) -> uint32_t { return memory.data()[l * 3 + b]; };
  w.run("buffer_load_ubyte v1, v0, s[8:11], 0 offen\nbuffer_load_sbyte v2, v0, s[8:11], 0 offen\n"
        "buffer_load_ushort v3, v0, s[8:11], 0 offen\nbuffer_load_sshort v4, v0, s[8:11], 0 offen\n"
        "buffer_load_ubyte_d16_hi v5, v0, s[8:11], 0 offen\nbuffer_load_sbyte_d16 v6, v0, s[8:11], 0 offen\n"
        "buffer_load_short_d16_hi v7, v0, s[8:11], 0 offen\n");
  for (int l = 0; l < lanes; ++l) {
    const uint32_t half = byte(l, 0) | byte(l, 1) << 8;
    REQUIRE(w.lane(1, l) == byte(l, 0));
    REQUIRE(w.lane(2, l) == static_cast<uint32_t>(static_cast<int8_t>(byte(l, 0))));
    REQUIRE(w.lane(3, l) == half);
    REQUIRE(w.lane(4, l) == static_cast<uint32_t>(static_cast<int16_t>(half)));
    REQUIRE(w.lane(5, l) == byte(l, 0) << 16);
    REQUIRE(w.lane(6, l) == (static_cast<uint32_t>(static_cast<int8_t>(byte(l, 0))) & 0xFFFF));
    REQUIRE(w.lane(7, l) == half << 16);
  }
  fill_vgprs(w, 10, 1);
  w.run("buffer_store_byte_d16_hi v10, v0, s[8:11], 0 offen\nbuffer_store_short_d16_hi v10, v0, s[8:11], 0 "
        "offen "
        "offset:1");
  for (int l = 0; l < lanes; ++l) {
    REQUIRE(byte(l, 0) == (w.lane(10, l) >> 16 & 0xFF));
    REQUIRE(byte(l, 1) == (w.lane(10, l) >> 16 & 0xFF));
    REQUIRE(byte(l, 2) == w.lane(10, l) >> 24);
  }
}

TEST_CASE("buffer: voffset + inst_offset wraps at 32 bits, soffset does not") {
  DeviceBytes memory(256);
  OneWave w;
  set_descriptor(w, 8, {memory.address(), 0, 256});
  set_lanes(w, 0, [](int l) { return 0xFFFFFFF0u + static_cast<uint32_t>(l); }); // lanes 0..15 below zero
  w.run("buffer_load_dword v1, v0, s[8:11], 0 offen offset:16");
  for (int l = 0; l < lanes; ++l) REQUIRE(w.lane(1, l) == memory.dword(static_cast<uint64_t>(l)));
  w.sgpr(4) = 16; // the same sum through soffset leaves the buffer
  w.run("buffer_load_dword v1, v0, s[8:11], s4 offen");
  for (int l = 0; l < 16; ++l) REQUIRE(w.lane(1, l) == 0);
  for (int l = 16; l < lanes; ++l) REQUIRE(w.lane(1, l) == memory.dword(static_cast<uint64_t>(l)));
}

TEST_CASE("buffer: offsets around 2^31 and 2^32 address a pool of 6 GB, a lost carry shows") {
  const uint64_t pool_bytes = uint64_t{6} << 30;
  auto* pool = static_cast<uint8_t*>(machine::AddressSpace::device().allocate(pool_bytes));
  REQUIRE(pool);
  const auto mark = [&](uint64_t at, uint32_t value) { std::memcpy(pool + at, &value, 4); };
  const uint64_t two31 = uint64_t{1} << 31, two32 = uint64_t{1} << 32;
  mark(0, 100);
  mark(two31 - 4, 101);
  mark(two31, 102);
  mark(two32 - 8, 103);
  mark(two32 + 8, 104);
  OneWave w;
  set_descriptor(w, 8, {reinterpret_cast<uint64_t>(pool), 0, 0xFFFFFFFF});
  set_lanes(w, 0, [](int) { return 0; });
  w.lane(0, 1) = static_cast<uint32_t>(two31 - 4);
  w.lane(0, 2) = static_cast<uint32_t>(two31);
  w.lane(0, 3) = static_cast<uint32_t>(two32 - 8);
  w.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
  CHECK(w.lane(1, 0) == 100);
  CHECK(w.lane(1, 1) == 101);
  CHECK(w.lane(1, 2) == 102);
  CHECK(w.lane(1, 3) == 103);
  // Bytes past 2^32 cannot be reached by offsets: offset + soffset beyond num_records reads 0 ...
  w.sgpr(4) = 16;
  w.run("buffer_load_dword v1, v0, s[8:11], s4 offen");
  CHECK(w.lane(1, 3) == 0);
  // ... but by a 64-bit base.
  set_descriptor(w, 8, {reinterpret_cast<uint64_t>(pool) + two32, 0, 4096});
  w.lane(0, 3) = 8;
  w.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
  CHECK(w.lane(1, 3) == 104);
  machine::AddressSpace::device().release(pool);
}

TEST_CASE("buffer: the carry out of the low half of base + offset is kept, or dropped by option") {
  const uint64_t two32 = uint64_t{1} << 32, bytes = 9 * (two32 / 4);
  auto* pool = static_cast<uint8_t*>(machine::AddressSpace::device().allocate(bytes));
  REQUIRE(pool);
  const auto begin = reinterpret_cast<uint64_t>(pool), boundary = (begin / two32 + 2) * two32;
  const auto mark = [&](uint64_t address, uint32_t value) {
    std::memcpy(pool + (address - begin), &value, 4);
  };
  mark(boundary - 8, 100);
  mark(boundary + 16, 101);
  mark(boundary - two32 + 16, 102);
  for (const bool drops : {false, true}) {
    machine::Options options;
    options.drops_carry = drops;
    OneWave w(options);
    set_descriptor(w, 8, {boundary - 16, 0, 4096});
    set_lanes(w, 0, [](int) { return 8; });
    w.lane(0, 1) = 32;
    w.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
    CHECK(w.lane(1, 0) == 100);
    CHECK(w.lane(1, 1) == (drops ? 102u : 101u));
    w.sgpr(4) = 24; // soffset carries
    w.run("buffer_load_dword v1, v0, s[8:11], s4 offen");
    CHECK(w.lane(1, 0) == 101);
  }
  machine::AddressSpace::device().release(pool);
}

TEST_CASE("buffer: structured access checks the index, not the bytes") {
  DeviceBytes memory(4096);
  OneWave w;
  set_descriptor(w, 8, {memory.address(), 48, 50});
  set_lanes(w, 0, [](int l) { return l; });         // index
  set_lanes(w, 1, [](int l) { return l % 3 * 4; }); // offset
  w.run("buffer_load_dwordx2 v[2:3], v[0:1], s[8:11], 0 idxen offen offset:4\n"
        "buffer_load_dword v4, v0, s[8:11], 0 idxen offset:8");
  for (int l = 0; l < lanes; ++l) {
    const auto at = static_cast<uint64_t>(l * 48 + l % 3 * 4 + 4);
    REQUIRE(w.lane(2, l) == (l < 50 ? memory.dword(at) : 0));
    REQUIRE(w.lane(3, l) == (l < 50 ? memory.dword(at + 4) : 0));
    REQUIRE(w.lane(4, l) == (l < 50 ? memory.dword(static_cast<uint64_t>(l * 48 + 8)) : 0));
  }
  // Without an index the byte check is that of a raw buffer, whatever the stride.
  set_lanes(w, 0, [](int l) { return l; });
  w.run("buffer_load_dword v4, v0, s[8:11], 0 offen");
  for (int l = 0; l < lanes; ++l)
    REQUIRE(w.lane(4, l) == (l + 4 <= 50 ? memory.dword(static_cast<uint64_t>(l)) : 0));
}

TEST_CASE("buffer: ADD_TID without an index adds the lane, unchecked, with an 18-bit stride") {
  DeviceBytes memory(size_t{64} * 0x4010 + 16);
  OneWave w;
  Descriptor d{memory.address(), 0x10, 0};
  d.add_tid = true;
  d.stride_high = 1; // stride 0x4010
  set_descriptor(w, 8, d);
  w.run("buffer_load_dword v1, off, s[8:11], 0 offset:4");
  for (int l = 0; l < lanes; ++l)
    REQUIRE(w.lane(1, l) == memory.dword(static_cast<uint64_t>(l) * 0x4010 + 4));
}

TEST_CASE("buffer: swizzle interleaves dwords over index_stride records") {
  DeviceBytes memory(size_t{64} * 64);
  for (uint32_t code : {0u, 1u, 3u}) {
    OneWave w;
    Descriptor d{memory.address(), 32, 64};
    d.swizzle = d.add_tid = true;
    d.index_stride_code = code;
    set_descriptor(w, 8, d);
    set_lanes(w, 0, [](int l) { return l % 3 * 4 + l % 2; });
    w.run("buffer_load_dwordx2 v[2:3], v0, s[8:11], 0 offen offset:4");
    const uint64_t rows = 8u << code;
    for (uint64_t l = 0; l < lanes; ++l) {
      uint8_t bytes[8];
      for (uint64_t b = 0; b < 8; ++b) {
        const uint64_t offset = l % 3 * 4 + l % 2 + 4 + b;
        bytes[b] = memory.data()[(l / rows * 32 + offset / 4 * 4) * rows + l % rows * 4 + offset % 4];
      }
      uint32_t expected[2];
      std::memcpy(expected, bytes, 8);
      REQUIRE(w.lane(2, static_cast<int>(l)) == expected[0]);
      REQUIRE(w.lane(3, static_cast<int>(l)) == expected[1]);
    }
  }
}

TEST_CASE("buffer: an unbound (all-zero) descriptor reads zero") {
  OneWave w;
  set_descriptor(w, 8, {});
  w.sgpr(11) = 0;
  fill_vgprs(w, 1, 1);
  set_lanes(w, 0, [](int l) { return l * 4; });
  w.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
  for (int l = 0; l < lanes; ++l) REQUIRE(w.lane(1, l) == 0);
}

TEST_CASE("buffer: in range of the descriptor but outside the allocation is a fault") {
  DeviceBytes memory(256);
  OneWave w;
  set_descriptor(w, 8, {memory.address(), 0, 4096});
  set_lanes(w, 0, [](int l) { return l * 4 + 4; });
  CHECK_THROWS_WITH(w.run("buffer_store_dword v1, v0, s[8:11], 0 offen"),
                    Catch::Contains("write of 4 bytes") &&
                        Catch::Contains("0 bytes past the end of allocation"));
  w.wave().set_exec(~uint64_t{0} >> 1); // the lane that strayed is off
  CHECK_NOTHROW(w.run("buffer_store_dword v1, v0, s[8:11], 0 offen"));
}

TEST_CASE("buffer loads deliver to accumulation registers") {
  DeviceBytes memory(256);
  OneWave w;
  set_descriptor(w, 8, {memory.address(), 0, 256});
  set_lanes(w, 0, [](int l) { return l * 4; });
  w.run("buffer_load_dword a3, v0, s[8:11], 0 offen");
  for (int l = 0; l < lanes; ++l) REQUIRE(w.lane(256 + 3, l) == memory.dword(static_cast<uint64_t>(4 * l)));
}
