// Random scalar ALU instructions against host-compiled references.

#include "tests/emulator/one_instruction.hpp"
#include "tests/emulator/semantics/reference.hpp"
#include "tests/emulator/semantics/settings.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::semantics;

namespace {

uint64_t edge(Random& random) {
  switch (random() % 5) {
  case 0: return random() % 70;
  case 1: return ~(random() % 70);
  case 2: return (uint64_t{1} << random() % 64) - random() % 2;
  case 3: return (random() % 80) << 16 | random() % 70; // offset and width of a bit field
  default: return random();
  }
}
uint64_t narrowed(uint64_t value, Type type) {
  return bytes_of(type) == 8 ? value : static_cast<uint32_t>(value);
}
std::string sgprs(int first, Type type) {
  return bytes_of(type) == 8 ? fmt::format("s[{}:{}]", first, first + 1) : fmt::format("s{}", first);
}

// Sources in s[4:5], s[6:7], or an inline constant in place of one; SOPK: 16 bits. The result in s[8:9].
struct ScalarInstruction {
  std::string text;
  Arguments in;
  bool scc;
};
ScalarInstruction random_instruction(const Reference& r, Random& random) {
  ScalarInstruction result{r.mnemonic, {}, random() % 2 != 0};
  result.in.old = narrowed(edge(random), r.result);
  const std::string_view name = r.mnemonic;
  const bool has_immediate = name.find("k_i32") != name.npos || name.starts_with("s_cmpk_");
  const char* separator = " ";
  const auto add = [&](const std::string& operand) {
    result.text += separator + operand;
    separator = ", ";
  };
  if (r.result != Type::boolean) add(sgprs(8, r.result));
  const size_t constant = random() % 4;
  for (size_t i = 0; i < 3 && r.source[i] != Type::none; ++i) {
    const Type type = r.source[i];
    const bool last = i == 2 || r.source[i + 1] == Type::none || r.source[i + 1] == Type::carry;
    if (type == Type::carry) {
      result.in.source[i] = result.scc;
    } else if (has_immediate && last) {
      const auto immediate = static_cast<int16_t>(edge(random));
      result.in.source[i] = narrowed(static_cast<uint64_t>(int64_t{immediate}), type);
      add(fmt::format("{:#x}", static_cast<uint16_t>(immediate)));
    } else if (!has_immediate && i == constant) {
      const int64_t value = static_cast<int64_t>(random() % 81) - 16;
      result.in.source[i] = narrowed(static_cast<uint64_t>(value), type);
      add(std::to_string(value));
    } else {
      result.in.source[i] = narrowed(edge(random), type);
      add(sgprs(4 + 2 * static_cast<int>(i), type));
    }
  }
  return result;
}

} // namespace

TEST_CASE("random scalar instructions agree with host-compiled code") {
  Random random(setting("FMHA950_FUZZ_SEED", 950));
  const uint64_t rounds = setting("FMHA950_FUZZ_ROUNDS", 24);
  for (const Reference& r : scalar_references())
    for (uint64_t round = 0; round < rounds; ++round) {
      const ScalarInstruction one = random_instruction(r, random);
      test::OneWave w;
      w.wave().set_sgpr64(4, one.in.source[0]);
      w.wave().set_sgpr64(6, one.in.source[1]);
      w.wave().set_sgpr64(8, one.in.old);
      w.wave().scc = one.scc;
      w.run(one.text);
      const Outcome want = r.compute(one.in);
      const bool sets_scc = r.carries_out || r.result == Type::boolean;
      INFO(one.text << std::hex << " of " << one.in.source[0] << ", " << one.in.source[1] << ", "
                    << one.in.old << ", SCC " << one.scc);
      CHECK(w.wave().scc == (sets_scc ? want.mask : one.scc));
      if (r.result != Type::boolean)
        CHECK(narrowed(w.wave().sgpr64(8), r.result) == narrowed(want.value, r.result));
    }
}
