// Atomics on LDS and device memory against scalar models written from the ISA guide's pseudo-code.
#include "tests/emulator/memory_case.hpp"

#include "numerics/formats.hpp"

#include <cmath>
#include <functional>
#include <thread>

using namespace fmha950;
using namespace fmha950::test;

namespace {

float f32(uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float value;
  std::memcpy(&value, &low, 4);
  return value;
}
double f64(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, 8);
  return value;
}
uint64_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
uint64_t bits_of(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

// Memory afterwards; `wide`: 64-bit operands. Values of 32-bit operations are zero-extended.
using Model = std::function<uint64_t(uint64_t old, uint64_t a, uint64_t b, bool wide)>;
int64_t as_signed(uint64_t v, bool wide) { return wide ? static_cast<int64_t>(v) : static_cast<int32_t>(v); }
uint64_t pick_signed(uint64_t a, uint64_t b, bool wide, bool less) {
  return (as_signed(a, wide) < as_signed(b, wide)) == less ? a : b;
}

struct Op {
  const char* vmem; // suffix after _atomic_, null: none
  const char* ds;   // after ds_, with %s where _rtn goes; null: none
  bool two_widths;
  Model model;
};
const Op integer_ops[] = {
    {"swap", nullptr, true, [](uint64_t, uint64_t a, uint64_t, bool) { return a; }},
    {"add", "add u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o + a; }},
    {"sub", "sub u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o - a; }},
    {nullptr, "rsub u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return a - o; }},
    {"smin", "min i", true,
     [](uint64_t o, uint64_t a, uint64_t, bool w) { return pick_signed(a, o, w, true); }},
    {"smax", "max i", true,
     [](uint64_t o, uint64_t a, uint64_t, bool w) { return pick_signed(a, o, w, false); }},
    {"umin", "min u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return std::min(o, a); }},
    {"umax", "max u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return std::max(o, a); }},
    {"and", "and b", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o & a; }},
    {"or", "or b", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o | a; }},
    {"xor", "xor b", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o ^ a; }},
    {"inc", "inc u", true, [](uint64_t o, uint64_t a, uint64_t, bool) { return o >= a ? 0 : o + 1; }},
    {"dec", "dec u", true,
     [](uint64_t o, uint64_t a, uint64_t, bool) { return o == 0 || o > a ? a : o - 1; }},
};

// Operands small enough that equality, zero and both orders occur, some with the sign bit.
uint64_t operand(int lane, uint32_t salt, bool wide) {
  const uint64_t small = (static_cast<uint64_t>(lane) * 7 + salt) % 11;
  return lane % 3 ? small : wide ? ~small : static_cast<uint32_t>(~small);
}

enum class Form { buffer, global, flat };

struct Setup {
  Setup(bool wide, uint64_t exec) : memory(1024) {
    for (int l = 0; l < 64; ++l) {
      const uint64_t old = operand(l, 3, wide);
      std::memcpy(memory.data() + l * 8, &old, 8);
      std::memcpy(&w.lds()[static_cast<size_t>(l) * 8], &old, 8);
      w.set_lane64(4, l, operand(l, 5, wide));
      w.set_lane64(6, l, operand(l, 4, wide));
      w.set_lane64(10, l, 0x7777'7777'7777'7777);
      w.set_lane64(0, l, memory.address() + static_cast<uint64_t>(l) * 8);
      w.lane(2, l) = static_cast<uint32_t>(l) * 8;
    }
    w.wave().set_sgpr64(8, memory.address());
    w.sgpr(10) = 1024;
    w.sgpr(11) = 0x20000;
    w.wave().set_exec(exec);
  }
  uint64_t device(int l, bool wide) {
    uint64_t value = 0;
    std::memcpy(&value, memory.data() + l * 8, wide ? 8 : 4);
    return value;
  }
  uint64_t shared(int l, bool wide) {
    uint64_t value = 0;
    std::memcpy(&value, &w.lds()[static_cast<size_t>(l) * 8], wide ? 8 : 4);
    return value;
  }
  DeviceBytes memory;
  OneWave w;
};

uint64_t narrow(uint64_t value, bool wide) { return wide ? value : static_cast<uint32_t>(value); }

constexpr uint64_t some_lanes = 0xF0F0'1234'5678'0F0F;

} // namespace

TEST_CASE("device atomics: integer operations, with and without return, buffer, global and flat") {
  for (const Op& op : integer_ops)
    for (bool wide : {false, true})
      for (bool returns : {false, true})
        for (Form form : {Form::buffer, Form::global, Form::flat}) {
          if (!op.vmem) continue;
          Setup s(wide, some_lanes);
          const int n = wide ? 2 : 1;
          const std::string name = op.vmem + std::string(wide ? "_x2" : ""), sc0 = returns ? " sc0" : "";
          INFO(name << sc0);
          // A buffer atomic returns into its data registers.
          const std::string result = returns ? registers(10, n) + ", " : "";
          if (form == Form::buffer)
            s.w.run("buffer_atomic_" + name + " " + registers(4, n) + ", v2, s[8:11], 0 offen" + sc0);
          else
            s.w.run((form == Form::global ? "global_atomic_" : "flat_atomic_") + name + " " + result +
                    "v[0:1], " + registers(4, n) + (form == Form::global ? ", off" : "") + sc0);
          for (int l = 0; l < 64; ++l) {
            const bool active = some_lanes >> l & 1;
            const uint64_t old = narrow(operand(l, 3, wide), wide), a = operand(l, 5, wide);
            REQUIRE(s.device(l, wide) == (active ? narrow(op.model(old, a, 0, wide), wide) : old));
            const int back = form == Form::buffer ? 4 : 10;
            const uint64_t untouched = form == Form::buffer ? a : 0x7777'7777'7777'7777;
            REQUIRE(narrow(s.w.lane64(back, l), wide) == narrow(active && returns ? old : untouched, wide));
          }
        }
}

TEST_CASE("LDS atomics: integer operations, with and without return") {
  for (const Op& op : integer_ops)
    for (bool wide : {false, true})
      for (bool returns : {false, true}) {
        if (!op.ds) continue;
        Setup s(wide, some_lanes);
        const int n = wide ? 2 : 1;
        const std::string text = op.ds;
        const size_t space = text.find(' ');
        const std::string name = "ds_" + text.substr(0, space) + (returns ? "_rtn_" : "_") +
                                 text.substr(space + 1) + (wide ? "64" : "32");
        INFO(name);
        s.w.run(name + (returns ? " " + registers(10, n) + "," : "") + " v2, " + registers(4, n));
        for (int l = 0; l < 64; ++l) {
          const bool active = some_lanes >> l & 1;
          const uint64_t old = narrow(operand(l, 3, wide), wide);
          const uint64_t after = narrow(op.model(old, operand(l, 5, wide), 0, wide), wide);
          REQUIRE(s.shared(l, wide) == (active ? after : old));
          REQUIRE(narrow(s.w.lane64(10, l), wide) ==
                  narrow(active && returns ? old : 0x7777'7777'7777'7777, wide));
        }
      }
}

TEST_CASE("compare and swap: device memory has (new, compare), LDS (compare, new)") {
  for (bool wide : {false, true}) {
    Setup s(wide, ~uint64_t{0});
    int hits = 0;
    // v[4..]: first operand, then second, contiguous.
    for (int l = 0; l < 64; ++l) {
      const uint64_t fresh = 1000 + static_cast<uint64_t>(l), compare = l % 2 ? operand(l, 3, wide) : 999;
      s.w.lane(4, l) = static_cast<uint32_t>(fresh);
      s.w.lane(5, l) = wide ? 0 : static_cast<uint32_t>(compare);
      if (wide) s.w.set_lane64(6, l, compare);
      s.w.set_lane64(14, l, compare);
      s.w.set_lane64(16, l, fresh);
    }
    s.w.run(wide ? "global_atomic_cmpswap_x2 v[10:11], v[0:1], v[4:7], off sc0\n"
                   "ds_cmpst_rtn_b64 v[12:13], v2, v[14:15], v[16:17]"
                 : "global_atomic_cmpswap v10, v[0:1], v[4:5], off sc0\nds_cmpst_rtn_b32 v12, v2, v14, v16");
    for (int l = 0; l < 64; ++l) {
      const uint64_t old = narrow(operand(l, 3, wide), wide);
      const uint64_t expected = l % 2 ? 1000 + static_cast<uint64_t>(l) : old;
      hits += expected != old;
      REQUIRE(s.device(l, wide) == expected);
      REQUIRE(s.shared(l, wide) == expected);
      REQUIRE(narrow(s.w.lane64(10, l), wide) == old);
      REQUIRE(narrow(s.w.lane64(12, l), wide) == old);
    }
    CHECK(hits == 32);
  }
}

TEST_CASE("LDS: mskor, wrap, exchanges, conditional exchange") {
  Setup s(false, ~uint64_t{0});
  for (int l = 0; l < 64; ++l)
    s.w.set_lane64(20, l, (l % 2 ? 0x8000'0005'0000'0006ull : 0x0000'0005'8000'0006ull));
  auto lds = s.w.lds();
  const auto at = [&](const std::vector<uint8_t>& bytes, int l) {
    uint32_t value;
    std::memcpy(&value, &bytes[static_cast<size_t>(l) * 8], 4);
    return value;
  };
  s.w.run("ds_mskor_rtn_b32 v10, v2, v4, v6");
  for (int l = 0; l < 64; ++l) REQUIRE(at(s.w.lds(), l) == ((at(lds, l) & ~s.w.lane(4, l)) | s.w.lane(6, l)));
  lds = s.w.lds();
  s.w.run("ds_wrap_rtn_b32 v10, v2, v4, v6");
  for (int l = 0; l < 64; ++l) {
    const uint32_t old = at(lds, l), a = s.w.lane(4, l), b = s.w.lane(6, l);
    REQUIRE(at(s.w.lds(), l) == (old >= a ? old - a : old + b));
    REQUIRE(s.w.lane(10, l) == old);
  }
  lds = s.w.lds();
  s.w.run("ds_wrxchg2_rtn_b32 v[10:11], v2, v4, v6 offset0:0 offset1:1");
  for (int l = 0; l < 64; ++l) {
    REQUIRE(s.w.lane(10, l) == at(lds, l));
    REQUIRE(at(s.w.lds(), l) == s.w.lane(4, l));
    REQUIRE(s.shared(l, true) >> 32 == s.w.lane(6, l));
  }
  s.w.run("ds_condxchg32_rtn_b64 v[10:11], v2, v[20:21]");
  for (int l = 0; l < 64; ++l) {
    REQUIRE(s.w.lane(10, l) == s.w.lane(4, l));
    REQUIRE(s.shared(l, true) ==
            (l % 2 ? uint64_t{5} << 32 | s.w.lane(4, l) : uint64_t{s.w.lane(6, l)} << 32 | 6));
  }
}

TEST_CASE("ds_append and ds_consume count active lanes") {
  OneWave w;
  w.sgpr(machine::code::m0) = 0x100;
  const uint32_t start = 1000;
  std::memcpy(&w.lds()[0x108], &start, 4);
  w.wave().set_exec(0xFF00);
  w.run("ds_append v1 offset:8\nds_consume v2 offset:8\nds_append v3 offset:8");
  CHECK(w.lane(1, 8) == 1000);
  CHECK(w.lane(2, 15) == 1008);
  CHECK(w.lane(3, 9) == 1000);
  CHECK(w.lane(3, 0) == 0);
}

TEST_CASE("floating-point atomics: sums, minima and maxima, denormals as facts 4.2 has them") {
  const float tiny = f32(1), one = 1.0f;
  const float old32[] = {one, -0.0f, tiny, 3e38f, INFINITY, 2.5f},
              add32[] = {2.5f, 0.0f, tiny, 3e38f, -INFINITY, one};
  for (int i = 0; i < 6; ++i) {
    Setup s(true, ~uint64_t{0});
    const float o = old32[i], a = add32[i];
    for (int l = 0; l < 64; ++l) {
      const uint64_t bits = bits_of(o);
      std::memcpy(s.memory.data() + l * 8, &bits, 8);
      std::memcpy(&s.w.lds()[static_cast<size_t>(l) * 8], &bits, 8);
      s.w.lane(4, l) = static_cast<uint32_t>(bits_of(a));
    }
    s.w.run("global_atomic_add_f32 v[0:1], v4, off\nds_add_f32 v2, v4");
    const float sum = o + a, device = std::fpclassify(sum) == FP_SUBNORMAL ? std::copysign(0.0f, sum) : sum;
    const auto same = [](uint64_t bits, float value) {
      return std::isnan(value) ? std::isnan(f32(bits)) : bits == bits_of(value);
    };
    CHECK(same(s.device(5, false), device)); // L2 flushes f32 denormals
    CHECK(same(s.shared(5, false), sum));    // LDS obeys MODE: here all are kept
    s.w.wave().mode = 0xC0;                  // f32 flushed, 16 and 64 bits kept
    const uint64_t again = bits_of(o);
    std::memcpy(&s.w.lds()[40], &again, 4);
    s.w.run("ds_add_f32 v2, v4");
    CHECK(same(s.shared(5, false), device));
  }
  Setup s(true, ~uint64_t{0});
  for (int l = 0; l < 64; ++l) {
    const double o = l * 1.5 - 20, a = 0.125 * l;
    std::memcpy(s.memory.data() + l * 8, &o, 8);
    std::memcpy(&s.w.lds()[static_cast<size_t>(l) * 8], &o, 8);
    s.w.set_lane64(4, l, bits_of(a));
  }
  s.w.run("global_atomic_add_f64 v[0:1], v[4:5], off\nds_add_f64 v2, v[4:5]");
  for (int l = 0; l < 64; ++l) {
    REQUIRE(f64(s.device(l, true)) == l * 1.5 - 20 + 0.125 * l);
    REQUIRE(f64(s.shared(l, true)) == l * 1.5 - 20 + 0.125 * l);
  }
  for (int l = 0; l < 64; ++l) s.w.set_lane64(4, l, bits_of(3.0));
  s.w.run("global_atomic_max_f64 v[0:1], v[4:5], off\nds_min_f64 v2, v[4:5]");
  for (int l = 0; l < 64; ++l) {
    REQUIRE(f64(s.device(l, true)) == std::max(3.0, l * 1.625 - 20));
    REQUIRE(f64(s.shared(l, true)) == std::min(3.0, l * 1.625 - 20));
  }
}

TEST_CASE("packed 16-bit sums") {
  using namespace numerics;
  Setup s(true, ~uint64_t{0});
  const auto half = [](float low, float high) -> uint32_t {
    return f16_from_f32(low) | static_cast<uint32_t>(f16_from_f32(high)) << 16;
  };
  for (int l = 0; l < 64; ++l) {
    const float x = static_cast<float>(l);
    const uint64_t old = half(x, -x), old_bf = bf16_from_f32(x) | uint64_t{bf16_from_f32(-x)} << 16;
    std::memcpy(s.memory.data() + l * 8, &old, 4);
    std::memcpy(&s.w.lds()[static_cast<size_t>(l) * 8], &old_bf, 4);
    s.w.lane(4, l) = half(0.5f, 0.25f);
    s.w.lane(6, l) = bf16_from_f32(0.5f) | static_cast<uint32_t>(bf16_from_f32(0.25f)) << 16;
  }
  s.w.run("global_atomic_pk_add_f16 v10, v[0:1], v4, off sc0\nds_pk_add_rtn_bf16 v11, v2, v6");
  for (int l = 0; l < 64; ++l) {
    const float x = static_cast<float>(l);
    REQUIRE(s.device(l, false) == half(x + 0.5f, 0.25f - x));
    REQUIRE(s.shared(l, false) == (bf16_from_f32(x + 0.5f) | uint64_t{bf16_from_f32(0.25f - x)} << 16));
    REQUIRE(s.w.lane(10, l) == half(x, -x));
  }
}

TEST_CASE("lanes that meet at one address all count, also across host threads") {
  DeviceBytes memory(64);
  std::memset(memory.data(), 0, 64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      OneWave w;
      for (int l = 0; l < 64; ++l) {
        w.set_lane64(0, l, memory.address());
        w.lane(2, l) = 1;
      }
      std::string text;
      for (int i = 0; i < 100; ++i) text += "global_atomic_add v[0:1], v2, off\n";
      w.run(text);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(memory.dword(0) == 2 * 100 * 64);
}

TEST_CASE("buffer atomics are dropped whole out of range and return 0, misaligned ones are refused") {
  Setup s(true, ~uint64_t{0});
  s.w.sgpr(10) = 12; // lane 1's eight bytes end at 16
  s.w.run("buffer_atomic_add_x2 v[4:5], v2, s[8:11], 0 offen sc0");
  CHECK(s.device(0, true) == operand(0, 3, true) + operand(0, 5, true));
  CHECK(s.device(1, true) == operand(1, 3, true));
  CHECK(s.w.lane64(4, 1) == 0);
  s.w.lane(0, 3) += 4;
  CHECK_THROWS_WITH(s.w.run("global_atomic_add_x2 v[0:1], v[4:5], off"),
                    Catch::Contains("aligned to 8 bytes"));
  s.w.lane(2, 3) += 2;
  CHECK_THROWS_WITH(s.w.run("ds_add_u32 v2, v4"), Catch::Contains("aligned to 4 bytes"));
}
