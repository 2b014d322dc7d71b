// Instructions that clang does not emit for the differential functions, and every compare, against scalar
// models of the ISA guide's pseudo-code.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <random>

using namespace fmha950;
using test::OneWave;

namespace {

using f16 = _Float16;
std::mt19937 engine(950);

uint32_t edge() {
  static constexpr uint32_t values[] = {
      0,          1,          0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x00800000, 0x3F800000, 0xBF800000,
      0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x3C003C00, 0xBC003800, 0x7C00FC00, 0xFE007E01,
      0x00010001, 0x03FF8000, 0x7BFFFBFF, 0x34013555, 0x40004200, 0x12345678, 0x0000FFFF, 0xFF00FF00};
  const uint32_t choice = engine() % 3;
  if (choice == 0) return values[engine() % std::size(values)];
  if (choice == 1)
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 8);
  return engine();
}

f16 low(uint32_t x) { return std::bit_cast<f16>(static_cast<uint16_t>(x)); }
f16 high(uint32_t x) { return low(x >> 16); }
uint32_t bits(f16 x) { return std::bit_cast<uint16_t>(x); }
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float single(uint32_t x) { return std::bit_cast<float>(x); }
int32_t sign_extended(uint32_t x, int width) {
  return static_cast<int32_t>(x << (32 - width)) >> (32 - width);
}
uint32_t packed(uint32_t low_half, uint32_t high_half) { return (low_half & 0xFFFF) | high_half << 16; }

// v_min and v_max of any float type: a NaN loses, -0 < +0.
// (Signaling NaNs come out quiet: NaNs compare equal.)
template <class T> bool is_signaling(T x) {
  if constexpr (sizeof(T) == 2) return x != x && !(bits(x) & 0x200);
  return x != x && !(bits(x) & 0x400000);
}
template <class T> T least(T a, T b) {
  if (is_signaling(a) || is_signaling(b)) return T(NAN);
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(static_cast<double>(a)) ? a : b;
  return a < b ? a : b;
}
// By its bit: a host that computes halves in float makes a signaling NaN quiet.
f16 negated(f16 x) { return std::bit_cast<f16>(static_cast<uint16_t>(bits(x) ^ 0x8000)); }
float negated(float x) { return std::bit_cast<float>(bits(x) ^ 0x80000000); }
template <class T> T greatest(T a, T b) { return negated(least(negated(a), negated(b))); }
template <class T> T median(T a, T b, T c) {
  if (a != a || b != b || c != c) return least(least(a, b), c);
  const T top = greatest(greatest(a, b), c);
  return top == a ? greatest(b, c) : top == b ? greatest(a, c) : greatest(a, b);
}
template <class T> T propagating(T a, T b, bool upper) { // IEEE 754-2019
  if (a != a || b != b) return T(NAN);
  return upper ? greatest(a, b) : least(a, b);
}
// mac and mad flush denormals and round twice.
f16 flushed(f16 x) {
  return std::fabs(static_cast<double>(x)) < 0x1p-14 ? f16(std::copysign(0.0, static_cast<double>(x))) : x;
}
f16 mad(f16 a, f16 b, f16 c) {
  const f16 product = flushed(f16(static_cast<double>(flushed(a)) * static_cast<double>(flushed(b))));
  return flushed(f16(static_cast<double>(product) + static_cast<double>(flushed(c))));
}
f16 fused(f16 a, f16 b, f16 c) {
  return f16(std::fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}
uint32_t clamp(int x, int low_end, int high_end) {
  return static_cast<uint32_t>(std::min(std::max(x, low_end), high_end));
}

f16 fraction(f16 x) {
  const f16 below = f16(double(x) - std::floor(double(x)));
  return below >= 1 ? std::bit_cast<f16>(uint16_t{0x3BFF}) : below;
}
uint32_t dot_of_nibbles(uint32_t a, uint32_t b, uint32_t sum) {
  for (int i = 0; i < 32; i += 4)
    sum += static_cast<uint32_t>(sign_extended(a >> i, 4) * sign_extended(b >> i, 4));
  return sum;
}

enum class Result { integer, half, two_halves, single };
struct Case {
  const char* text; // v3 = f(v0, v1, v2), d is v3 before
  Result result;
  uint32_t (*model)(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
};
#define MODEL(...)                                                                                           \
  []([[maybe_unused]] uint32_t a, [[maybe_unused]] uint32_t b, [[maybe_unused]] uint32_t c,                  \
     [[maybe_unused]] uint32_t d) -> uint32_t { return __VA_ARGS__; }
// The expression is of the halves x, y, z of the sources.
#define EACH_HALF(...)                                                                                       \
  [](uint32_t a, uint32_t b, [[maybe_unused]] uint32_t c, uint32_t) -> uint32_t {                            \
    const auto half = [](uint32_t x, uint32_t y, [[maybe_unused]] uint32_t z) -> uint32_t {                  \
      return static_cast<uint32_t>(__VA_ARGS__);                                                             \
    };                                                                                                       \
    return packed(half(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF), half(a >> 16, b >> 16, c >> 16));                \
  }

const Case cases[] = {
    {"v_not_b32_e32 v3, v0", Result::integer, MODEL(~a)},
    {"v_xad_u32 v3, v0, v1, v2", Result::integer, MODEL((a ^ b) + c)},
    {"v_subrev_u32_e32 v3, v0, v1", Result::integer, MODEL(b - a)},
    {"v_subrev_u16_e32 v3, v0, v1", Result::integer, MODEL((b - a) & 0xFFFF)},
    {"v_mul_hi_u32_u24_e32 v3, v0, v1", Result::integer,
     MODEL(static_cast<uint32_t>(uint64_t{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 32))},
    {"v_mul_hi_i32_i24_e32 v3, v0, v1", Result::integer,
     MODEL(static_cast<uint32_t>(int64_t{sign_extended(a, 24)} * sign_extended(b, 24) >> 32))},
    {"v_mad_u32_u16 v3, v0, v1, v2", Result::integer, MODEL((a & 0xFFFF) * (b & 0xFFFF) + c)},
    {"v_mad_i32_i16 v3, v0, v1, v2", Result::integer,
     MODEL(static_cast<uint32_t>(sign_extended(a, 16) * sign_extended(b, 16)) + c)},
    {"v_mad_legacy_i16 v3, v0, v1, v2", Result::integer, MODEL((a * b + c) & 0xFFFF)},
    {"v_min3_u32 v3, v0, v1, v2", Result::integer, MODEL(std::min({a, b, c}))},
    {"v_max3_u32 v3, v0, v1, v2", Result::integer, MODEL(std::max({a, b, c}))},
    {"v_med3_u32 v3, v0, v1, v2", Result::integer,
     MODEL(std::max(std::min(a, b), std::min(std::max(a, b), c)))},
    {"v_min3_i32 v3, v0, v1, v2", Result::integer,
     MODEL(static_cast<uint32_t>(std::min({int32_t(a), int32_t(b), int32_t(c)})))},
    {"v_min3_i16 v3, v0, v1, v2", Result::integer,
     MODEL(packed(static_cast<uint32_t>(std::min({int16_t(a), int16_t(b), int16_t(c)})), d >> 16))},
    {"v_min3_u16 v3, v0, v1, v2", Result::integer,
     MODEL(packed(std::min({uint16_t(a), uint16_t(b), uint16_t(c)}), d >> 16))},
    {"v_max3_u16 v3, v0, v1, v2", Result::integer,
     MODEL(packed(std::max({uint16_t(a), uint16_t(b), uint16_t(c)}), d >> 16))},
    {"v_med3_i16 v3, v0, v1, v2", Result::integer,
     MODEL(packed(static_cast<uint32_t>(int(median<float>(int16_t(a), int16_t(b), int16_t(c)))) & 0xFFFF,
                  d >> 16))},
    {"v_med3_u16 v3, v0, v1, v2", Result::integer,
     MODEL(packed(static_cast<uint32_t>(median<float>(uint16_t(a), uint16_t(b), uint16_t(c))), d >> 16))},
    {"v_dot2c_i32_i16_e32 v3, v0, v1", Result::integer,
     MODEL(d + static_cast<uint32_t>(int16_t(a) * int16_t(b)) +
           static_cast<uint32_t>(int16_t(a >> 16) * int16_t(b >> 16)))},
    {"v_dot4c_i32_i8_e32 v3, v0, v1", Result::integer,
     MODEL(d + static_cast<uint32_t>(int8_t(a) * int8_t(b) + int8_t(a >> 8) * int8_t(b >> 8) +
                                     int8_t(a >> 16) * int8_t(b >> 16) + int8_t(a >> 24) * int8_t(b >> 24)))},
    {"v_dot8c_i32_i4_e32 v3, v0, v1", Result::integer, MODEL(dot_of_nibbles(a, b, d))},
    {"v_pk_sub_i16 v3, v0, v1", Result::integer, EACH_HALF(x - y)},
    {"v_pk_sub_u16 v3, v0, v1", Result::integer, EACH_HALF(x - y)},
    {"v_pk_sub_i16 v3, v0, v1 clamp", Result::integer,
     EACH_HALF(clamp(int16_t(x) - int16_t(y), -32768, 32767))},
    {"v_pk_sub_u16 v3, v0, v1 clamp", Result::integer, EACH_HALF(clamp(int(x) - int(y), 0, 65535))},
    {"v_pk_mul_lo_u16 v3, v0, v1", Result::integer, EACH_HALF(x * y)},
    {"v_pk_mad_i16 v3, v0, v1, v2", Result::integer, EACH_HALF(x * y + z)},
    {"v_pk_mad_i16 v3, v0, v1, v2 clamp", Result::integer,
     EACH_HALF(clamp(int16_t(x) * int16_t(y) + int16_t(z), -32768, 32767))},
    {"v_pk_min_u16 v3, v0, v1", Result::integer, EACH_HALF(std::min(x, y))},
    {"v_pk_lshrrev_b16 v3, v0, v1", Result::integer, EACH_HALF(y >> (x & 15))},
    {"v_subrev_f32_e32 v3, v0, v1", Result::single, MODEL(bits(single(b) - single(a)))},
    {"v_mul_legacy_f32_e64 v3, v0, v1", Result::single,
     MODEL(single(a) == 0 || single(b) == 0 ? 0 : bits(single(a) * single(b)))},
    {"v_fmaak_f32 v3, v0, v1, 0x40490fdb", Result::single,
     MODEL(bits(std::fma(single(a), single(b), single(0x40490fdb))))},
    {"v_fmamk_f32 v3, v0, 0x40490fdb, v1", Result::single,
     MODEL(bits(std::fma(single(a), single(0x40490fdb), single(b))))},
    {"v_min3_f32 v3, v0, v1, v2", Result::single, MODEL(bits(least(least(single(a), single(b)), single(c))))},
    {"v_max3_f32 v3, v0, v1, v2", Result::single,
     MODEL(bits(greatest(greatest(single(a), single(b)), single(c))))},
    {"v_med3_f32 v3, v0, v1, v2", Result::single, MODEL(bits(median(single(a), single(b), single(c))))},
    {"v_minimum3_f32 v3, v0, v1, v2", Result::single,
     MODEL(bits(propagating(propagating(single(a), single(b), false), single(c), false)))},
    {"v_dot2c_f32_f16_e32 v3, v0, v1", Result::single,
     MODEL(
         bits(std::fma(float(high(a)), float(high(b)), std::fma(float(low(a)), float(low(b)), single(d)))))},
    {"v_subrev_f16_e32 v3, v0, v1", Result::half, MODEL(bits(f16(low(b) - low(a))))},
    {"v_mac_f16_e32 v3, v0, v1", Result::half, MODEL(bits(mad(low(a), low(b), low(d))))},
    {"v_mad_legacy_f16 v3, v0, v1, v2", Result::half, MODEL(bits(mad(low(a), low(b), low(c))))},
    {"v_madak_f16 v3, v0, v1, 0x3c01", Result::half, MODEL(bits(mad(low(a), low(b), low(0x3c01))))},
    {"v_madmk_f16 v3, v0, 0x3c01, v1", Result::half, MODEL(bits(mad(low(a), low(0x3c01), low(b))))},
    {"v_min_f16_e32 v3, v0, v1", Result::half, MODEL(bits(least(low(a), low(b))))},
    {"v_max_f16_e32 v3, v0, v1", Result::half, MODEL(bits(greatest(low(a), low(b))))},
    {"v_floor_f16_e32 v3, v0", Result::half, MODEL(bits(f16(std::floor(double(low(a))))))},
    {"v_ceil_f16_e32 v3, v0", Result::half, MODEL(bits(f16(std::ceil(double(low(a))))))},
    {"v_trunc_f16_e32 v3, v0", Result::half, MODEL(bits(f16(std::trunc(double(low(a))))))},
    {"v_rndne_f16_e32 v3, v0", Result::half, MODEL(bits(f16(std::nearbyint(double(low(a))))))},
    {"v_fract_f16_e32 v3, v0", Result::half, MODEL(bits(fraction(low(a))))},
    {"v_fma_legacy_f16 v3, v0, v1, v2", Result::half, MODEL(bits(fused(low(a), low(b), low(c))))},
    {"v_min3_f16 v3, v0, v1, v2", Result::two_halves,
     MODEL(packed(bits(least(least(low(a), low(b)), low(c))), d >> 16))},
    {"v_max3_f16 v3, v0, v1, v2", Result::two_halves,
     MODEL(packed(bits(greatest(greatest(low(a), low(b)), low(c))), d >> 16))},
    {"v_med3_f16 v3, v0, v1, v2", Result::two_halves,
     MODEL(packed(bits(median(low(a), low(b), low(c))), d >> 16))},
    {"v_mad_f16 v3, v0, v1, v2", Result::two_halves,
     MODEL(packed(bits(mad(low(a), low(b), low(c))), d >> 16))},
    {"v_pk_fma_f16 v3, v0, v1, v2", Result::two_halves, EACH_HALF(bits(fused(low(x), low(y), low(z))))},
    {"v_pk_fmac_f16_e32 v3, v0, v1", Result::two_halves,
     MODEL(packed(bits(fused(low(a), low(b), low(d))), bits(fused(high(a), high(b), high(d)))))},
    {"v_pk_min_f16 v3, v0, v1", Result::two_halves, EACH_HALF(bits(least(low(x), low(y))))},
    {"v_pk_max_f16 v3, v0, v1", Result::two_halves, EACH_HALF(bits(greatest(low(x), low(y))))},
    {"v_pk_minimum3_f16 v3, v0, v1, v2", Result::two_halves,
     EACH_HALF(bits(propagating(propagating(low(x), low(y), false), low(z), false)))},
    {"v_pk_maximum3_f16 v3, v0, v1, v2", Result::two_halves,
     EACH_HALF(bits(propagating(propagating(low(x), low(y), true), low(z), true)))},
};

bool same(Result kind, uint32_t x, uint32_t y) {
  const auto half_same = [](uint32_t p, uint32_t q) {
    return p == q || (low(p) != low(p) && low(q) != low(q));
  };
  switch (kind) {
  case Result::integer: return x == y;
  case Result::half: return x >> 16 == y >> 16 && half_same(x & 0xFFFF, y & 0xFFFF);
  case Result::two_halves: return half_same(x >> 16, y >> 16) && half_same(x & 0xFFFF, y & 0xFFFF);
  case Result::single: return x == y || (std::isnan(single(x)) && std::isnan(single(y)));
  }
  return false;
}

} // namespace

TEST_CASE("rows that clang seldom emits agree with scalar models") {
  for (const Case& example : cases)
    for (int round = 0; round < 12; ++round) {
      OneWave w;
      uint32_t expected[64];
      for (int l = 0; l < 64; ++l) {
        for (int v = 0; v < 4; ++v) w.lane(v, l) = edge();
        expected[l] = example.model(w.lane(0, l), w.lane(1, l), w.lane(2, l), w.lane(3, l));
      }
      const std::vector<uint32_t> before(&w.lane(0, 0), &w.lane(0, 0) + 256);
      w.run(example.text);
      int wrong = 0;
      for (int l = 0; l < 64; ++l) {
        if (same(example.result, w.lane(3, l), expected[l]) || wrong++) continue;
        UNSCOPED_INFO(std::hex << before[l] << " " << before[64 + l] << " " << before[128 + l] << " "
                               << before[192 + l] << " gives " << w.lane(3, l) << ", not " << expected[l]);
      }
      INFO(example.text);
      CHECK(wrong == 0);
    }
}
