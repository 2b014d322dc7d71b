// Every atomic of every memory - buffer, global, flat, LDS, scalar - against one table of models written from
// the ISA guide's pseudo-code; random operands, with and without return, under EXEC.
#include "tests/emulator/memory_case.hpp"

#include "numerics/formats.hpp"
#include "tests/emulator/semantics/reference.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::test;
using semantics::from_bits;
using semantics::to_bits;

namespace {

enum class Kind : uint8_t { u32, u64, f32, f64, f16_pair, bf16_pair };
bool is_wide(Kind kind) { return kind == Kind::u64 || kind == Kind::f64; }

// Memory afterwards; a and b are the operands in register order.
using Model = uint64_t (*)(uint64_t old, uint64_t a, uint64_t b);
template <class T> uint64_t sum(uint64_t old, uint64_t a, uint64_t) {
  return to_bits(from_bits<T>(old) + from_bits<T>(a));
}
template <class T> uint64_t least(uint64_t old, uint64_t a, uint64_t) {
  return to_bits(std::fmin(from_bits<T>(old), from_bits<T>(a)));
}
template <class T> uint64_t greatest(uint64_t old, uint64_t a, uint64_t) {
  return to_bits(std::fmax(from_bits<T>(old), from_bits<T>(a)));
}
template <class T> uint64_t equal_replaced(uint64_t old, uint64_t a, uint64_t b) {
  return from_bits<T>(old) == from_bits<T>(a) ? b : old;
}
template <float (*widen)(uint16_t), uint16_t (*narrow)(float)>
uint64_t half_sums(uint64_t old, uint64_t a, uint64_t) {
  const auto half = [](uint64_t x, uint64_t y) {
    return uint64_t{narrow(widen(static_cast<uint16_t>(x)) + widen(static_cast<uint16_t>(y)))};
  };
  return half(old, a) | half(old >> 16, a >> 16) << 16;
}
float widen_f16(uint16_t x) { return static_cast<float>(from_bits<_Float16>(x)); }
uint16_t narrow_f16(float x) { return static_cast<uint16_t>(to_bits(static_cast<_Float16>(x))); }
float widen_bf16(uint16_t x) { return from_bits<float>(uint64_t{x} << 16); }
uint16_t narrow_bf16(float x) { // operands are small multiples of 1/8: the sum is exact
  return static_cast<uint16_t>(to_bits(x) >> 16);
}

struct Atomic {
  const char* memory; // after buffer_, global_, flat_ (s_, s_buffer_) atomic_; null: none
  const char* lds;    // after ds_, null: none; _rtn goes before the last _
  Kind kind;
  Model model;
  int operands = 1;
  bool only_returns = false, scalar = true; // scalar: s_atomic_* exists too
};
#define INTEGER(T, name, ds, expression)                                                                     \
  Atomic {                                                                                                   \
    name, ds, sizeof(T) == 8 ? Kind::u64 : Kind::u32,                                                        \
        [](uint64_t wide_old, uint64_t wide_a, uint64_t) -> uint64_t {                                       \
          [[maybe_unused]] const auto old = static_cast<T>(wide_old);                                        \
          const auto a = static_cast<T>(wide_a);                                                             \
          return static_cast<std::make_unsigned_t<T>>(expression);                                           \
        }                                                                                                    \
  }
#define BOTH(T, name, ds, letter, expression)                                                                \
  INTEGER(T##32_t, name, ds "_" letter "32", expression),                                                    \
      INTEGER(T##64_t, name "_x2", ds "_" letter "64", expression)
const std::vector<Atomic>& atomics() {
  static const std::vector<Atomic> all = {
      BOTH(uint, "add", "add", "u", old + a),
      BOTH(uint, "sub", "sub", "u", old - a),
      BOTH(int, "smin", "min", "i", std::min(old, a)),
      BOTH(int, "smax", "max", "i", std::max(old, a)),
      BOTH(uint, "umin", "min", "u", std::min(old, a)),
      BOTH(uint, "umax", "max", "u", std::max(old, a)),
      BOTH(uint, "and", "and", "b", old & a),
      BOTH(uint, "or", "or", "b", old | a),
      BOTH(uint, "xor", "xor", "b", old ^ a),
      BOTH(uint, "inc", "inc", "u", old >= a ? 0 : old + 1),
      BOTH(uint, "dec", "dec", "u", old == 0 || old > a ? a : old - 1),
      INTEGER(uint32_t, "swap", nullptr, a),
      INTEGER(uint64_t, "swap_x2", nullptr, a),
      {nullptr, "wrxchg_b32", Kind::u32, [](uint64_t, uint64_t a, uint64_t) { return a; }, 1, true},
      {nullptr, "wrxchg_b64", Kind::u64, [](uint64_t, uint64_t a, uint64_t) { return a; }, 1, true},
      INTEGER(uint32_t, nullptr, "rsub_u32", a - old),
      INTEGER(uint64_t, nullptr, "rsub_u64", a - old),
      // Memory has the new value first, LDS the value to compare.
      {"cmpswap", nullptr, Kind::u32, [](uint64_t o, uint64_t a, uint64_t b) { return o == b ? a : o; }, 2},
      {"cmpswap_x2", nullptr, Kind::u64, [](uint64_t o, uint64_t a, uint64_t b) { return o == b ? a : o; },
       2},
      {nullptr, "cmpst_b32", Kind::u32, [](uint64_t o, uint64_t a, uint64_t b) { return o == a ? b : o; }, 2},
      {nullptr, "cmpst_b64", Kind::u64, [](uint64_t o, uint64_t a, uint64_t b) { return o == a ? b : o; }, 2},
      {nullptr, "cmpst_f32", Kind::f32, equal_replaced<float>, 2},
      {nullptr, "cmpst_f64", Kind::f64, equal_replaced<double>, 2},
      {nullptr, "mskor_b32", Kind::u32, [](uint64_t o, uint64_t a, uint64_t b) { return (o & ~a) | b; }, 2},
      {nullptr, "mskor_b64", Kind::u64, [](uint64_t o, uint64_t a, uint64_t b) { return (o & ~a) | b; }, 2},
      {nullptr, "wrap_b32", Kind::u32,
       [](uint64_t o, uint64_t a, uint64_t b) { return o >= a ? o - a : o + b; }, 2, true},
      {"add_f32", "add_f32", Kind::f32, sum<float>, 1, false, false},
      {"add_f64", "add_f64", Kind::f64, sum<double>, 1, false, false},
      {"min_f64", "min_f64", Kind::f64, least<double>, 1, false, false},
      {"max_f64", "max_f64", Kind::f64, greatest<double>, 1, false, false},
      {nullptr, "min_f32", Kind::f32, least<float>},
      {nullptr, "max_f32", Kind::f32, greatest<float>},
      {"pk_add_f16", "pk_add_f16", Kind::f16_pair, half_sums<widen_f16, narrow_f16>, 1, false, false},
      {"pk_add_bf16", "pk_add_bf16", Kind::bf16_pair, half_sums<widen_bf16, narrow_bf16>, 1, false, false},
  };
  return all;
}

// So few values that equality and both orders occur.
uint64_t operand(Kind kind, std::mt19937& random) {
  constexpr float floats[] = {1, -2.5f, 0.5f, 3e38f, -3e38f, INFINITY, NAN, 7};
  const auto small = [&] { return (static_cast<float>(random() % 200) - 100) / 8; };
  const int number = static_cast<int>(random() % 9) - 3;
  switch (kind) {
  case Kind::u32: return static_cast<uint32_t>(number);
  case Kind::u64: return static_cast<uint64_t>(int64_t{number}) ^ (random() % 4 ? 0 : uint64_t{1} << 63);
  case Kind::f32: return to_bits(floats[random() % 8]);
  case Kind::f64: return to_bits(static_cast<double>(floats[random() % 8]));
  case Kind::f16_pair: return uint64_t{narrow_f16(small())} | uint64_t{narrow_f16(small())} << 16;
  default: return uint64_t{narrow_bf16(small())} | uint64_t{narrow_bf16(small())} << 16;
  }
}
bool same(Kind kind, uint64_t got, uint64_t want) {
  if (kind == Kind::f32 && std::isnan(from_bits<float>(want))) return std::isnan(from_bits<float>(got));
  if (kind == Kind::f64 && std::isnan(from_bits<double>(want))) return std::isnan(from_bits<double>(got));
  return got == want;
}

constexpr uint64_t some_lanes = 0xF0F0'1234'5678'0F0F;

// One atomic in one memory: lane l works on the 8 bytes at 8 * l. Operand a in v[4:..], b behind it; the
// value before returns to v[10:11], for buffers to v[4:5].
class Trial {
 public:
  Trial(const Atomic& atomic, std::mt19937& random) : atomic_(atomic), memory_(512) {
    const bool wide = is_wide(atomic.kind);
    for (size_t l = 0; l < 64; ++l) {
      old_[l] = operand(atomic.kind, random);
      for (int i = 0; i < 2; ++i) operands_[i][l] = operand(atomic.kind, random);
      std::memcpy(memory_.data() + 8 * l, &old_[l], 8);
      std::memcpy(&w.lds()[8 * l], &old_[l], 8);
      for (int i = 0; i < 2; ++i) {
        const int at = 4 + (wide ? 2 : 1) * i, lane = static_cast<int>(l);
        if (wide)
          w.set_lane64(at, lane, operands_[i][l]);
        else
          w.lane(at, lane) = static_cast<uint32_t>(operands_[i][l]);
      }
    }
    set_lanes64(w, 0, [&](int l) { return memory_.address() + static_cast<uint64_t>(8 * l); });
    set_lanes(w, 2, [](int l) { return 8 * l; });
    w.wave().set_sgpr64(8, memory_.address());
    w.sgpr(10) = 512;
    w.sgpr(11) = 0x20000;
    w.wave().set_exec(some_lanes);
  }
  std::string data() const { return registers(4, atomic_.operands * (is_wide(atomic_.kind) ? 2 : 1)); }

  void check(const std::string& text, bool in_lds, int returned) {
    INFO(text);
    w.run(text);
    const size_t bytes = is_wide(atomic_.kind) ? 8 : 4;
    for (size_t l = 0; l < 64; ++l) {
      const bool active = some_lanes >> l & 1;
      uint64_t after = 0;
      std::memcpy(&after, in_lds ? &w.lds()[8 * l] : memory_.data() + 8 * l, bytes);
      const uint64_t want = active ? atomic_.model(old_[l], operands_[0][l], operands_[1][l]) : old_[l];
      INFO(std::hex << old_[l] << " " << operands_[0][l] << " " << operands_[1][l] << " becomes " << after
                    << ", not " << want);
      REQUIRE(same(atomic_.kind, after, bytes == 8 ? want : static_cast<uint32_t>(want)));
      if (!returned || !active) continue;
      const uint64_t back = w.lane64(returned, static_cast<int>(l));
      REQUIRE((bytes == 8 ? back : static_cast<uint32_t>(back)) == old_[l]);
    }
  }
  OneWave w;

 private:
  const Atomic& atomic_;
  DeviceBytes memory_;
  uint64_t old_[64], operands_[2][64];
};

} // namespace

TEST_CASE("every atomic of device memory: buffer, global, flat") {
  std::mt19937 random(950);
  for (const Atomic& atomic : atomics()) {
    if (!atomic.memory) continue;
    const std::string name = std::string("atomic_") + atomic.memory + " ",
                      result = registers(10, is_wide(atomic.kind) ? 2 : 1);
    for (const bool returns : {false, true}) {
      const std::string sc0 = returns ? " sc0" : "", back = returns ? result + ", " : "";
      const auto trial = [&](const auto& text, int returned) {
        Trial t(atomic, random);
        t.check(text(t.data()), false, returns ? returned : 0);
      };
      trial([&](const std::string& data) { return "buffer_" + name + data + ", v2, s[8:11], 0 offen" + sc0; },
            4);
      trial(
          [&](const std::string& data) {
            return "global_" + name + back + "v[0:1], " + data + ", off" + sc0;
          },
          10);
      trial([&](const std::string& data) { return "flat_" + name + back + "v[0:1], " + data + sc0; }, 10);
    }
  }
}

TEST_CASE("every atomic of LDS") {
  std::mt19937 random(951);
  for (const Atomic& atomic : atomics()) {
    if (!atomic.lds) continue;
    const int registers_each = is_wide(atomic.kind) ? 2 : 1;
    for (const bool returns : {false, true}) {
      if (!returns && atomic.only_returns) continue;
      std::string name = atomic.lds;
      if (returns) name.insert(name.rfind('_'), "_rtn");
      std::string text = "ds_" + name + " ";
      if (returns) text += registers(10, registers_each) + ", ";
      text += "v2, " + registers(4, registers_each);
      if (atomic.operands == 2) text += ", " + registers(4 + registers_each, registers_each);
      Trial(atomic, random).check(text, true, returns ? 10 : 0);
    }
  }
}

TEST_CASE("every scalar atomic, of pointers and of buffers") {
  std::mt19937 random(952);
  for (const Atomic& atomic : atomics()) {
    if (!atomic.memory || !atomic.scalar) continue;
    const bool wide = is_wide(atomic.kind);
    for (const std::string form : {"s_", "s_buffer_"})
      for (const bool returns : {false, true}) {
        DeviceBytes memory(16);
        OneWave w;
        const uint64_t old = operand(atomic.kind, random), a = operand(atomic.kind, random),
                       b = random() % 2 ? old : operand(atomic.kind, random);
        std::memcpy(memory.data() + 8, &old, 8);
        w.wave().set_sgpr64(4, memory.address());
        w.sgpr(6) = 16;
        w.sgpr(7) = 0x20000;
        w.wave().set_sgpr64(12, a);
        w.wave().set_sgpr64(wide ? 14 : 13, b);
        const int last = 11 + atomic.operands * (wide ? 2 : 1);
        const std::string data = last == 12 ? "s12" : "s[12:" + std::to_string(last) + "]";
        const std::string text = form + "atomic_" + atomic.memory + " " + data +
                                 (form == "s_" ? ", s[4:5], 0x8" : ", s[4:7], 0x8") +
                                 (returns ? " glc" : "") + "\ns_waitcnt lgkmcnt(0)";
        INFO(text << std::hex << " of " << old << " " << a << " " << b);
        w.run(text);
        const auto narrowed = [&](uint64_t x) { return wide ? x : static_cast<uint32_t>(x); };
        uint64_t after = 0;
        std::memcpy(&after, memory.data() + 8, wide ? 8 : 4);
        CHECK(after == narrowed(atomic.model(old, a, b)));
        CHECK(narrowed(w.wave().sgpr64(12)) == narrowed(returns ? old : a));
      }
  }
}

TEST_CASE("LDS exchanges of two elements, at element and at 64-element strides") {
  for (const bool wide : {false, true})
    for (const int stride : {1, 64}) {
      OneWave w;
      fill_lds(w);
      fill_vgprs(w, 4, 4);
      set_lanes(w, 2, [](int l) { return 16 * l; });
      constexpr int lanes = 16; // so few that second elements lie behind all first ones
      w.wave().set_exec((uint64_t{1} << lanes) - 1);
      const auto before = w.lds();
      const size_t bytes = wide ? 8 : 4, element = bytes * static_cast<size_t>(stride);
      const std::string width = wide ? "b64" : "b32",
                        form = stride == 1 ? "ds_wrxchg2_rtn_" : "ds_wrxchg2st64_rtn_";
      w.run(form + width + " " + registers(10, wide ? 4 : 2) + ", v2, " + registers(4, wide ? 2 : 1) + ", " +
            registers(6, wide ? 2 : 1) + " offset0:0 offset1:1");
      for (int l = 0; l < lanes; ++l)
        for (size_t which = 0; which < 2; ++which)
          for (size_t d = 0; d < bytes / 4; ++d) {
            const size_t at = static_cast<size_t>(16 * l) + which * element + 4 * d;
            uint32_t old, after;
            std::memcpy(&old, &before[at], 4);
            std::memcpy(&after, &w.lds()[at], 4);
            REQUIRE(w.lane(static_cast<int>(10 + which * bytes / 4 + d), l) == old);
            REQUIRE(after == w.lane(static_cast<int>(4 + 2 * which + d), l));
          }
    }
}
