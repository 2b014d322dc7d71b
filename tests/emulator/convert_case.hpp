#pragma once
// Runs a conversion over many inputs: one input per lane and instruction, all instructions in one program.
#include "tests/emulator/memory_case.hpp"

#include "tests/support/catch.hpp"
#include <array>
#include <functional>
#include <random>

namespace fmha950::test {

/// What one lane sees: up to four source registers and the destination's old value.
using Inputs = std::array<uint32_t, 4>;
constexpr uint32_t old_destination = 0xa5c3f00du;

/// `text` names sources {0}..{3} and results {d} (first register) as operands:
/// "v_cvt_pk_fp8_f32 {d}, {0}, {1}". With {0:1} and {d:1} a pair of registers.
/// Compares the first `results` destination registers with `expected`.
inline void check_conversion(const std::string& text, const std::vector<Inputs>& inputs, int results,
                             const std::function<std::array<uint32_t, 2>(const Inputs&)>& expected,
                             uint32_t mode = 0xF0) {
  constexpr int stride = 8, batch = 31; // registers per instruction, instructions per program
  const auto program = [&] {
    std::string all;
    for (int i = 0; i < batch; ++i) {
      std::string one = text;
      const auto replace = [&](const std::string& from, const std::string& to) {
        for (size_t at; (at = one.find(from)) != one.npos;) one.replace(at, from.size(), to);
      };
      const auto name = [&](int r) { return std::to_string(stride * i + r); };
      for (int source = 0; source < 4; ++source) {
        replace("{" + std::to_string(source) + "}", "v" + name(source));
        replace("{" + std::to_string(source) + ":1}", "v[" + name(source) + ":" + name(source + 1) + "]");
      }
      replace("{d}", "v" + name(4));
      replace("{d:1}", "v[" + name(4) + ":" + name(5) + "]");
      all += one + "\n";
    }
    return all;
  }();
  on_every_simd([&] {
    int wrong = 0;
    for (size_t base = 0; base < inputs.size(); base += batch * 64) {
      OneWave wave;
      wave.wave().mode = mode;
      const size_t count = std::min<size_t>(inputs.size() - base, batch * 64);
      for (size_t n = 0; n < count; ++n)
        for (int r = 0; r < 6; ++r)
          wave.lane(stride * int(n / 64) + r, int(n % 64)) = r < 4 ? inputs[base + n][r] : old_destination;
      wave.run(program);
      for (size_t n = 0; n < count; ++n)
        for (int r = 0; r < results; ++r) {
          const uint32_t want = expected(inputs[base + n])[r],
                         got = wave.lane(stride * int(n / 64) + 4 + r, int(n % 64));
          if (got != want && ++wrong <= 3)
            UNSCOPED_INFO(text << " of " << std::hex << inputs[base + n][0] << " " << inputs[base + n][1]
                               << " " << inputs[base + n][2] << ": result " << r << " is " << got << ", not "
                               << want);
        }
    }
    CHECK(wrong == 0);
  });
}

/// f32 patterns worth trying: every exponent with edge mantissas, quarters around zero, random; both signs.
inline std::vector<uint32_t> f32_patterns(int random_count = 1000) {
  std::vector<uint32_t> patterns;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t mantissa : {0u, 1u, 0x400000u, 0x7fffffu, 0x3fffffu})
      patterns.push_back(exponent << 23 | mantissa);
  std::mt19937 random(950);
  for (int i = 0; i < random_count; ++i) patterns.push_back(random());
  for (int i = 0; i < 80; ++i) patterns.push_back(__builtin_bit_cast(uint32_t, float(i) / 4));
  const size_t positive = patterns.size();
  for (size_t i = 0; i < positive; ++i) patterns.push_back(patterns[i] ^ 0x80000000u);
  return patterns;
}
inline std::vector<Inputs> one_source(const std::vector<uint32_t>& patterns) {
  std::vector<Inputs> inputs;
  for (uint32_t p : patterns) inputs.push_back({p});
  return inputs;
}
inline std::vector<Inputs> all_codes(uint32_t count) {
  std::vector<Inputs> inputs;
  for (uint32_t code = 0; code < count; ++code) inputs.push_back({code});
  return inputs;
}

} // namespace fmha950::test
