// Every v_cmp and v_cmpx against C++'s operators, and v_cmp_class against <cmath>.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <random>

using namespace fmha950;
using test::OneWave;

namespace {

using f16 = _Float16;

template <class T> bool holds(const std::string& predicate, T a, T b) {
  const bool unordered = a != a || b != b;
  if (predicate == "f") return false;
  if (predicate == "t" || predicate == "tru") return true;
  if (predicate == "lt") return a < b;
  if (predicate == "eq") return a == b;
  if (predicate == "le") return a <= b;
  if (predicate == "gt") return a > b;
  if (predicate == "ge") return a >= b;
  if (predicate == "ne") return a != b;
  if (predicate == "lg") return a < b || a > b;
  if (predicate == "o") return !unordered;
  if (predicate == "u") return unordered;
  return !holds(predicate.substr(1), a, b); // nge, nlg, ngt, nle, neq, nlt
}

template <class T> T value(std::mt19937_64& engine) {
  static constexpr uint64_t edges[] = {0,
                                       ~uint64_t{0},
                                       0x8000800080008000,
                                       0x7FFF7FFF7FFF7FFF,
                                       0x7C007C007C007C00,
                                       0x7E007E007E007E00,
                                       0x7F8000007F800000,
                                       0x7FF0000000000000,
                                       0x8000000000000000,
                                       0x3FF000003F803C00};
  const uint64_t bits = engine() % 2 ? edges[engine() % std::size(edges)] : engine();
  T result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
template <class T> void place(OneWave& w, int vgpr, int lane, T x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  w.lane(vgpr, lane) = static_cast<uint32_t>(bits) | (sizeof(T) == 2 ? 0xABCD0000u : 0u);
  if (sizeof(T) == 8) w.lane(vgpr + 1, lane) = static_cast<uint32_t>(bits >> 32);
}

template <class T> void compare_all(const std::string& type, std::initializer_list<const char*> predicates) {
  const std::string operands = sizeof(T) == 8 ? "v[0:1], v[2:3]" : "v0, v2";
  std::mt19937_64 engine(950);
  for (const std::string predicate : predicates)
    for (const bool writes_exec : {false, true}) {
      OneWave w;
      const uint64_t exec = engine();
      w.wave().set_exec(exec);
      uint64_t expected = 0;
      for (int l = 0; l < 64; ++l) {
        const T a = value<T>(engine), b = engine() % 4 ? value<T>(engine) : a;
        place(w, 0, l, a);
        place(w, 2, l, b);
        expected |= uint64_t{holds(predicate, a, b)} << l;
      }
      const std::string name = (writes_exec ? "v_cmpx_" : "v_cmp_") + predicate + "_" + type;
      w.run(name + "_e64 s[20:21], " + operands);
      INFO(name);
      CHECK(w.wave().sgpr64(20) == (expected & exec));
      CHECK(w.wave().exec() == (writes_exec ? expected & exec : exec));
      w.wave().set_exec(exec);
      w.run(name + "_e32 vcc, " + operands);
      CHECK(w.wave().vcc() == (expected & exec));
    }
}

template <class T> int class_bit(T x, bool signaling, double smallest_normal) {
  const double v = static_cast<double>(x);
  const bool negative = std::signbit(v);
  if (std::isnan(v)) return signaling ? 0 : 1;
  if (std::isinf(v)) return negative ? 2 : 9;
  if (v == 0) return negative ? 5 : 6;
  if (std::fabs(v) < smallest_normal) return negative ? 4 : 7;
  return negative ? 3 : 8;
}

} // namespace

TEST_CASE("compares of every type and predicate") {
  const auto floats = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                       "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  const auto integers = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  compare_all<f16>("f16", floats);
  compare_all<float>("f32", floats);
  compare_all<double>("f64", floats);
  compare_all<int16_t>("i16", integers);
  compare_all<uint16_t>("u16", integers);
  compare_all<int32_t>("i32", integers);
  compare_all<uint32_t>("u32", integers);
  compare_all<int64_t>("i64", integers);
  compare_all<uint64_t>("u64", integers);
}

TEST_CASE("classes of floats") {
  struct Form {
    const char *name, *source;
    int bits, mantissa, registers;
    double smallest_normal;
  };
  for (const Form& form :
       {Form{"v_cmp_class_f16", "v0", 16, 10, 1, 0x1p-14}, Form{"v_cmp_class_f32", "v0", 32, 23, 1, 0x1p-126},
        Form{"v_cmp_class_f64", "v[0:1]", 64, 52, 2, 0x1p-1022}}) {
    const uint64_t infinity = (uint64_t{1} << (form.bits - 1)) - (uint64_t{1} << form.mantissa);
    const uint64_t quiet = uint64_t{1} << (form.mantissa - 1);
    const uint64_t patterns[] = {infinity | 1, infinity | quiet, infinity, infinity - 1, 1, 0};
    for (const uint64_t pattern : patterns)
      for (const bool negative : {false, true}) {
        const uint64_t bits = pattern | uint64_t{negative} << (form.bits - 1);
        int expected = 0;
        if (form.bits == 16)
          expected =
              class_bit(std::bit_cast<f16>(uint16_t(bits)), pattern == (infinity | 1), form.smallest_normal);
        if (form.bits == 32)
          expected = class_bit(std::bit_cast<float>(uint32_t(bits)), pattern == (infinity | 1),
                               form.smallest_normal);
        if (form.bits == 64)
          expected = class_bit(std::bit_cast<double>(bits), pattern == (infinity | 1), form.smallest_normal);
        OneWave w;
        for (int l = 0; l < 64; ++l) { // lane l asks for class l
          w.set_lane64(0, l, bits);
          w.lane(2, l) = l < 10 ? 1u << l : 0x3FF;
        }
        w.run(std::string(form.name) + "_e64 s[20:21], " + form.source + ", v2");
        INFO(form.name << std::hex << " " << bits);
        CHECK(w.wave().sgpr64(20) == (~uint64_t{0x3FF} | uint64_t{1} << expected));
      }
  }
}
