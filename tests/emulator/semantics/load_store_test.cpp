// Every load and store of every segment, by one table and one scalar model of its bytes.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

struct Segment {
  const char* prefix;
  const char* address; // operands behind the data (loads) or around it (stores)
  const char* store_address;
  const char* store_rest;
};
// Lane l's bytes begin 20 * l bytes into its segment's memory.
constexpr Segment segments[] = {
    {"global_", "v[0:1], off", "v[0:1], ", ", off"},
    {"flat_", "v[0:1]", "v[0:1], ", ""},
    {"buffer_", "v2, s[8:11], 0 offen", "", ", v2, s[8:11], 0 offen"},
    {"scratch_", "v3, off", "v3, ", ", off"},
};
constexpr uint64_t some_lanes = 0xF00F'1234'8000'FFFF;

struct Setup {
  Setup() : memory(4096), scratch(64 * 64) {
    w.wave().scratch_base = scratch.address();
    w.wave().set_sgpr64(8, memory.address());
    w.sgpr(10) = 4096;
    w.sgpr(11) = 0x20000;
    set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(20 * l); });
    set_lanes(w, 2, [](int l) { return 20 * l; });
    set_lanes(w, 3, [](int l) { return l % 8; }); // private bytes
    fill_vgprs(w, 8, 4);
    w.wave().set_exec(some_lanes);
  }
  // Byte b of lane l's access. Private dwords of the lanes are interleaved (machine_gfx950.md section 4.3).
  uint8_t& byte(const Segment& segment, int l, int b) {
    if (segment.prefix[0] != 's') return memory.data()[20 * l + b];
    const int offset = l % 8 + b;
    return scratch.data()[offset / 4 * 256 + l * 4 + offset % 4];
  }
  DeviceBytes memory, scratch;
  OneWave w;
};

} // namespace

TEST_CASE("every load of every segment") {
  for (const Segment& segment : segments)
    for (const LoadOrStore& load : loads) {
      Setup s;
      const std::vector<uint32_t> before(&s.w.lane(8, 0), &s.w.lane(12, 0));
      const std::string text = segment.prefix + std::string("load_") + load.suffix + " " +
                               registers(8, load.shape.registers()) + ", " + segment.address;
      INFO(text);
      s.w.run(text);
      for (int l = 0; l < 64; ++l) {
        uint8_t bytes[16];
        for (int b = 0; b < 16; ++b) bytes[b] = s.byte(segment, l, b);
        for (int r = 0; r < load.shape.registers(); ++r)
          REQUIRE(s.w.lane(8 + r, l) == (some_lanes >> l & 1 ? load.shape.loaded(bytes, r)
                                                             : before[static_cast<size_t>(64 * r + l)]));
      }
    }
}

TEST_CASE("every store of every segment") {
  for (const Segment& segment : segments)
    for (const LoadOrStore& store : stores) {
      Setup s, untouched;
      const std::string text = segment.prefix + std::string("store_") + store.suffix + " " +
                               segment.store_address + registers(8, store.shape.registers()) +
                               segment.store_rest;
      INFO(text);
      s.w.run(text);
      for (int l = 0; l < 64; ++l) {
        const uint32_t data[4] = {s.w.lane(8, l), s.w.lane(9, l), s.w.lane(10, l), s.w.lane(11, l)};
        uint8_t bytes[16];
        for (int b = 0; b < 16; ++b) bytes[b] = untouched.byte(segment, l, b);
        if (some_lanes >> l & 1) store.shape.store(data, bytes);
        for (int b = 0; b < 16; ++b) REQUIRE(s.byte(segment, l, b) == bytes[b]);
      }
    }
}

TEST_CASE("every DMA of scratch memory into LDS: lane l's dword at M0 + 4 l") {
  for (const LoadOrStore& load : loads) {
    const std::string suffix = load.suffix;
    if (suffix.find("d16") != suffix.npos || load.shape.bytes > 4) continue;
    Setup s;
    s.w.sgpr(machine::code::m0) = 512;
    auto expected = s.w.lds();
    for (int l = 0; l < 64; ++l) {
      uint8_t bytes[4];
      for (int b = 0; b < 4; ++b) bytes[b] = s.byte(segments[3], l, b);
      const uint32_t value = load.shape.loaded(bytes, 0);
      if (some_lanes >> l & 1) std::memcpy(&expected[static_cast<size_t>(512 + 4 * l)], &value, 4);
    }
    INFO(suffix);
    s.w.run("scratch_load_lds_" + suffix + " v3, off\ns_waitcnt vmcnt(0)");
    REQUIRE(s.w.lds() == expected);
  }
}
