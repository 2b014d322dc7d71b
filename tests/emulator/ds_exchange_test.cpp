// Transpose reads and lane permutations against the formulas of machine_gfx950.md section 3.
#include "tests/emulator/memory_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

// Element `index`, `bits` wide, of the fetch of a lane.
uint32_t element(const OneWave& w, const std::vector<uint8_t>& lds, uint32_t address, int index, int bits) {
  (void)w;
  uint32_t value = 0;
  for (int b = 0; b < bits; ++b) {
    const int bit = index * bits + b;
    value |= static_cast<uint32_t>(lds[address + static_cast<uint32_t>(bit / 8)] >> (bit % 8) & 1) << b;
  }
  return value;
}
uint32_t result_element(OneWave& w, int vgpr, int lane, int index, int bits) {
  uint32_t value = 0;
  for (int b = 0; b < bits; ++b) {
    const int bit = index * bits + b;
    value |= (w.lane(vgpr + bit / 32, lane) >> (bit % 32) & 1) << b;
  }
  return value;
}

struct Transpose {
  const char* text;
  int bits, elements;
  // Which element of which lane of the 16-lane group becomes element n of lane l.
  int (*source_element)(int l);
  int (*source_lane)(int l, int n);
};
constexpr Transpose transposes[] = {
    {"ds_read_b64_tr_b16 v[8:9], v0 offset:32", 16, 4, [](int l) { return l & 3; },
     [](int l, int n) { return (l >> 2) + 4 * n; }},
    {"ds_read_b64_tr_b8 v[8:9], v0 offset:32", 8, 8, [](int l) { return l & 7; },
     [](int l, int n) { return (l >> 3) + 2 * n; }},
    {"ds_read_b64_tr_b4 v[8:9], v0 offset:32", 4, 16, [](int l) { return l; }, [](int, int n) { return n; }},
    {"ds_read_b96_tr_b6 v[8:10], v0 offset:32", 6, 16, [](int l) { return l; }, [](int, int n) { return n; }},
};

} // namespace

TEST_CASE("ds transpose reads: the exchange inside 16 lanes, any row stride") {
  on_every_simd([] {
    for (const Transpose& t : transposes)
      for (bool scrambled : {false, true}) {
        INFO(t.text);
        OneWave w;
        fill_lds(w);
        set_lanes(w, 0, [&](int l) { return scrambled ? l * 29 % 64 * 272 : l * 16; });
        w.run(t.text);
        for (int l = 0; l < 64; ++l)
          for (int n = 0; n < t.elements; ++n) {
            const int from = (l & ~15) + t.source_lane(l & 15, n);
            REQUIRE(result_element(w, 8, l, n, t.bits) ==
                    element(w, w.lds(), w.lane(0, from) + 32, t.source_element(l & 15), t.bits));
          }
      }
  });
}

TEST_CASE("ds transpose reads: rows beyond the allocation are zero") {
  OneWave w;
  std::fill(w.lds().begin(), w.lds().end(), uint8_t{0xFF});
  w.workgroup().lds_bytes = 256;
  set_lanes(w, 0, [](int l) { return l * 8; }); // lanes 32..63 are outside
  w.run("ds_read_b64_tr_b16 v[8:9], v0");
  CHECK(w.lane64(8, 31) == ~uint64_t{0});
  CHECK(w.lane64(8, 32) == 0);
}

TEST_CASE("ds transpose reads: partial EXEC and misalignment are refused") {
  OneWave w;
  set_lanes(w, 0, [](int l) { return l * 8 + (l == 5 ? 4 : 0); });
  CHECK_THROWS_WITH(w.run("ds_read_b64_tr_b8 v[8:9], v0"), Catch::Contains("aligned"));
  set_lanes(w, 0, [](int l) { return l * 8; });
  w.wave().set_exec(0xFFFF);
  CHECK_THROWS_WITH(w.run("ds_read_b64_tr_b16 v[8:9], v0"), Catch::Contains("EXEC = all ones"));
}

TEST_CASE("ds_bpermute and ds_permute: inactive lanes give zero, the highest sender wins") {
  on_every_simd([] {
    for (uint64_t exec : {~uint64_t{0}, uint64_t{0x0FF0'AAAA'1234'8001}}) {
      OneWave w;
      fill_vgprs(w, 0, 1, 9); // any 32-bit address: only lane bits count
      fill_vgprs(w, 1, 1, 10);
      set_lanes(w, 2, [](int) { return 0xDEAD; });
      set_lanes(w, 3, [](int) { return 0xDEAD; });
      w.wave().set_exec(exec);
      w.run("ds_bpermute_b32 v2, v0, v1 offset:8\nds_permute_b32 v3, v0, v1 offset:8");
      uint32_t pushed[64] = {};
      for (int l = 0; l < 64; ++l)
        if (exec >> l & 1) pushed[(w.lane(0, l) + 8) / 4 % 64] = w.lane(1, l);
      for (int l = 0; l < 64; ++l) {
        const auto from = static_cast<int>((w.lane(0, l) + 8) / 4 % 64);
        const uint32_t pulled = exec >> from & 1 ? w.lane(1, from) : 0;
        REQUIRE(w.lane(2, l) == (exec >> l & 1 ? pulled : 0xDEAD));
        REQUIRE(w.lane(3, l) == (exec >> l & 1 ? pushed[l] : 0xDEAD));
      }
    }
  });
}

TEST_CASE("ds_swizzle: quad permute, bit masks, rotation") {
  const auto run = [](const std::string& offset, uint64_t exec) {
    auto w = std::make_unique<OneWave>();
    set_lanes(*w, 0, [](int l) { return 100 + l; });
    w->wave().set_exec(exec);
    w->run("ds_swizzle_b32 v1, v0 offset:" + offset);
    return w;
  };
  const uint64_t all = ~uint64_t{0};
  const auto expect = [&](const std::string& offset, auto source) {
    INFO(offset);
    auto w = run(offset, all);
    for (int l = 0; l < 64; ++l) REQUIRE(w->lane(1, l) == static_cast<uint32_t>(100 + source(l)));
  };
  expect("swizzle(QUAD_PERM, 3, 2, 0, 1)", [](int l) {
    constexpr int order[] = {3, 2, 0, 1};
    return (l & ~3) + order[l & 3];
  });
  expect("swizzle(SWAP, 16)", [](int l) { return l ^ 16; });
  expect("swizzle(REVERSE, 8)", [](int l) { return l ^ 7; });
  expect("swizzle(BROADCAST, 4, 2)", [](int l) { return (l & ~3) + 2; });
  expect("swizzle(BITMASK_PERM, \"01pi0\")",
         [](int l) { return (l & 32) | ((((l & 0b00110) | 0b01000)) ^ 0b00010); });
  expect("0xc060", [](int l) { return (l & 32) | ((l + 3) & 31); }); // rotate by 3
  expect("0xc460", [](int l) { return (l & 32) | ((l - 3) & 31); }); // the other way
  expect("0xc067", [](int l) { return (l & 39) | ((l + 3) & 24); }); // bits 0..2 stay
  auto w = run("swizzle(SWAP, 1)", 0x5);                             // sources 1 and 3 are inactive
  CHECK(w->lane(1, 0) == 0);
  CHECK(w->lane(1, 2) == 0);
}
