// The same C++ compiled for the host and for gfx950 gives the same bits (a NaN is a NaN), on every vector
// width of this host.
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "interface/hip.hpp"
#include "tests/emulator/differential/functions.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <random>

using namespace fmha950;
using namespace fmha950::differential;

namespace {

constexpr size_t elements = 2048, block = 256;

template <class T> constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, f16>;

// Values at which something changes.
template <class T> std::vector<T> edges() {
  std::vector<T> values;
  if constexpr (is_float<T>) {
    constexpr int mantissa = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
    using Bits = std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;
    const Bits infinity = Bits(Bits(-1) << mantissa) & Bits(Bits(-1) >> 1), one = infinity >> 1 & infinity;
    const Bits patterns[] = {0,
                             1,
                             2,
                             Bits((Bits(1) << mantissa) - 1),
                             Bits(Bits(1) << mantissa),
                             one,
                             Bits(one + 1),
                             Bits(one - 1),
                             Bits(infinity - 1),
                             infinity,
                             Bits(infinity + 1),
                             Bits(infinity | infinity >> 1)};
    for (const Bits bits : patterns) values.push_back(std::bit_cast<T>(bits));
    for (const double x :
         {0.5, 1.5, 2.5, 3.0, 7.0, 255.5, 1000.0, 8388607.5, 2147483648.0, 1e-6, 1e30, 4.5e15})
      values.push_back(static_cast<T>(x));
    for (size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
  } else {
    const u64 patterns[] = {0,
                            1,
                            2,
                            3,
                            5,
                            7,
                            31,
                            32,
                            63,
                            64,
                            127,
                            128,
                            255,
                            256,
                            0x7FFF,
                            0x8000,
                            0xFFFF,
                            0x10000,
                            0x7FFFFF,
                            0x800000,
                            0x7FFFFFFF,
                            0x80000000,
                            0xFFFFFFFF,
                            0x100000000,
                            ~u64{0} >> 1,
                            ~u64{0} << 63,
                            ~u64{0},
                            ~u64{0} - 1,
                            ~u64{0} - 255};
    for (const u64 bits : patterns) values.push_back(static_cast<T>(bits));
  }
  return values;
}

template <class T> T random_value(std::mt19937_64& engine) {
  T value;
  const u64 bits = engine();
  std::memcpy(&value, &bits, sizeof value);
  if constexpr (is_float<T>) {
    if (engine() % 2) value = static_cast<T>(std::ldexp(static_cast<double>(bits % 100003) - 50000, -8));
  } else if (engine() % 3 == 0) {
    value = static_cast<T>(bits % 1000);
  }
  return value;
}

// Every pair of edges first, then random values.
template <class T> void fill(T* first, T* second, T* third, u64 seed) {
  std::mt19937_64 engine(seed);
  const std::vector<T> special = edges<T>();
  for (size_t i = 0; i < elements; ++i) {
    const bool paired = i < special.size() * special.size();
    first[i] = paired ? special[i / special.size()] : random_value<T>(engine);
    second[i] = paired ? special[i % special.size()] : random_value<T>(engine);
    third[i] = engine() % 2 ? special[engine() % special.size()] : random_value<T>(engine);
  }
}

template <class T> bool same(T x, T y) {
  if constexpr (is_float<T>)
    if (x != x && y != y) return true;
  return std::memcmp(&x, &y, sizeof x) == 0;
}

template <class T> bool same(Two<T> x, Two<T> y) { return same<T>(x.x, y.x) && same<T>(x.y, y.y); }

class Device {
 public:
  Device() : object_(hip::code_object("differential_functions")) {
    memory_ = static_cast<std::byte*>(machine::AddressSpace::device().allocate(5 * array_bytes));
  }
  ~Device() { machine::AddressSpace::device().release(memory_); }

  // Runs the kernel and says how many elements differ from the host's; the first one in `report`.
  template <class Result, class Argument>
  size_t differences(const char* name, Result (*host)(Argument, Argument, Argument), std::string& report) {
    Argument* const arguments[] = {array<Argument>(0), array<Argument>(1), array<Argument>(2)};
    Result* const results = array<Result>(3);
    fill(arguments[0], arguments[1], arguments[2], 950);
    std::memset(results, 0xA5, array_bytes);
    try {
      launch(std::string("differential_") + name, {arguments[0], arguments[1], arguments[2], results});
    } catch (const machine::Fault& fault) {
      report = fault.what();
      return elements;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < elements; ++i) {
      const Argument a = arguments[0][i], b = arguments[1][i], c = arguments[2][i];
      const Result expected = host(a, b, c);
      if (same(expected, results[i]) || wrong++) continue;
      report = std::string(name) + "(" + text(a) + ", " + text(b) + ", " + text(c) +
               ") = " + text(results[i]) + ", on the host " + text(expected);
    }
    return wrong;
  }

 private:
  static constexpr size_t array_bytes = elements * 8;
  template <class T> T* array(int index) { return reinterpret_cast<T*>(memory_ + index * array_bytes); }
  template <class T> static std::string text(T value) {
    u64 bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    char buffer[64];
    if constexpr (is_float<T>)
      std::snprintf(buffer, sizeof buffer, "%.17g [%llx]", static_cast<double>(value),
                    static_cast<unsigned long long>(bits));
    else
      std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(bits));
    return buffer;
  }
  void launch(const std::string& name, std::initializer_list<const void*> pointers) {
    machine::Launch launch;
    launch.kernel = object_.find_kernel(name);
    if (!launch.kernel) FAIL("no kernel " << name);
    const void** kernarg = array<const void*>(4);
    std::copy(pointers.begin(), pointers.end(), kernarg);
    launch.kernarg = reinterpret_cast<u64>(kernarg);
    launch.grid[0] = elements / block;
    launch.block[0] = block;
    machine::run(launch);
  }
  loader::CodeObject object_;
  std::byte* memory_;
};

// Not inlined: a function that held the checks of all would take minutes to compile under sanitizers.
template <class Result, class A>
[[gnu::noinline]] void check_same(Device& device, const std::string& simd, const char* name,
                                  Result (*host)(A, A, A)) {
  std::string report;
  const size_t wrong = device.differences<Result, A>(name, host, report);
  INFO(simd << ": " << report);
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("functions compiled for gfx950 agree with the host's bit for bit") {
  for (const std::string& simd : test::host_simds()) {
    std::string error;
    REQUIRE(isa::select_simd(simd, error));
    Device device;
#define COMPARE(name, Result, Argument, ...)                                                                 \
  {                                                                                                          \
    using A = Argument;                                                                                      \
    check_same<Result, A>(device, simd, #name,                                                               \
                          []([[maybe_unused]] A a, [[maybe_unused]] A b, [[maybe_unused]] A c) -> Result {   \
                            return __VA_ARGS__;                                                              \
                          });                                                                                \
  }
    FMHA950_DIFFERENTIAL_FUNCTIONS(COMPARE)
#undef COMPARE
  }
}
