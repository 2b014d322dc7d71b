// Random instructions against host-compiled references: random operands (edges of every type), modifiers,
// EXEC and MODE, on every vector width of the host. FMHA950_FUZZ_ROUNDS and FMHA950_FUZZ_SEED ask for more or
// other instructions than the fast test has.

#include "tests/emulator/one_instruction.hpp"
#include "tests/emulator/semantics/expected.hpp"
#include "tests/emulator/semantics/settings.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <memory>

using namespace fmha950;
using namespace fmha950::semantics;

namespace {

// Bits that are edges of f16, f32, f64 or of integers, or small numbers, or anything.
uint64_t edge(Random& random) {
  static constexpr uint64_t edges[] = {
      0,
      1,
      31,
      ~uint64_t{0},
      0x8000000000000000,
      0x7FFFFFFFFFFFFFFF,
      0x0000000080000000,
      0x000000007FFFFFFF,
      0x0000000000008000,
      0x0000000000007FFF,
      0x7FF0000000000000, // f64: infinity, signaling, quiet NaN, largest, smallest normal, largest denormal
      0xFFF0000000000001,
      0x7FF8000000000000,
      0x7FEFFFFFFFFFFFFF,
      0x0010000000000000,
      0x800FFFFFFFFFFFFF,
      0x3FF000003F803C00, // one
      0xBFF00000BF80BC00,
      0xFF8000007F800000, // f32
      0x7FC000007F800001,
      0x7F7FFFFFFF7FFFFF,
      0x0080000080800000,
      0x007FFFFF807FFFFF,
      0xFC007C00FC007C00, // f16
      0x7E007D017E007D01,
      0x7BFFFBFF7BFFFBFF,
      0x0400840004008400,
      0x03FF83FF03FF83FF,
  };
  switch (random() % 6) {
  case 0: return edges[random() % std::size(edges)];
  case 1: return to_bits((static_cast<f32>(random() % 4001) - 2000) / 16);
  case 2: return to_bits((static_cast<f64>(random() % 4001) - 2000) / 16);
  case 3: return to_bits(static_cast<f16>((static_cast<f32>(random() % 4001) - 2000) / 16)) * 0x10001;
  case 4: return edges[random() % std::size(edges)] + random() % 5 - 2;
  default: return random();
  }
}

State random_state(Random& random) {
  State s;
  for (int v = 0; v < 8; v += 2)
    for (int l = 0; l < 64; ++l) {
      const uint64_t bits = edge(random);
      s.vgpr[v][l] = static_cast<uint32_t>(bits);
      // The same pattern twice, so that f32 and f16 get as many edges as f64.
      s.vgpr[v + 1][l] = static_cast<uint32_t>(random() % 2 ? bits >> 32 : bits);
    }
  s.exec = random() % 3 ? random() : ~uint64_t{0};
  s.vcc = random();
  s.carry_in = random();
  s.carry_out = random();
  s.scalar = edge(random);
  // DX10_CLAMP and IEEE free; the default rounding and denormals half of the time.
  s.mode = static_cast<uint32_t>((random() & 0x300) | (random() % 2 ? 0xF0 : random() & 0xFF));
  return s;
}

void load(test::OneWave& w, const State& s) {
  for (int v = 0; v < 8; ++v) std::memcpy(&w.lane(v, 0), s.vgpr[v], sizeof s.vgpr[v]);
  w.wave().set_sgpr64(scalar_source, s.scalar);
  w.wave().set_sgpr64(carry_in, s.carry_in);
  w.wave().set_sgpr64(carry_out, s.carry_out);
  w.wave().set_sgpr64(vcc, s.vcc);
  w.wave().set_exec(s.exec);
  w.wave().mode = s.mode;
}

// The first difference in words, or nothing.
std::string difference(test::OneWave& w, const State& before, const Expected& expected) {
  const State& after = expected.after;
  char text[400];
  for (int l = 0; l < 64; ++l)
    for (int v = 0; v < 8; ++v) {
      const uint32_t got = w.lane(v, l), want = after.vgpr[v][l],
                     ignored = v < result_vgpr ? 0 : expected.unspecified[v - result_vgpr][l];
      if ((got & ~ignored) == (want & ~ignored)) continue;
      std::snprintf(
          text, sizeof text,
          "lane %d: v%d = %08x, not %08x; sources %08x%08x %08x%08x %08x%08x, scalar %016llx, before "
          "%08x%08x, mode %#x",
          l, v, got, want, before.vgpr[1][l], before.vgpr[0][l], before.vgpr[3][l], before.vgpr[2][l],
          before.vgpr[5][l], before.vgpr[4][l], static_cast<unsigned long long>(before.scalar),
          before.vgpr[7][l], before.vgpr[6][l], before.mode);
      return text;
    }
  const auto check = [&](const char* name, uint64_t got, uint64_t want) -> std::string {
    if (got == want) return {};
    const int l = __builtin_ctzll(got ^ want);
    std::snprintf(text, sizeof text,
                  "lane %d of %s is %d; sources %08x%08x %08x%08x %08x%08x, scalar %016llx, mode %#x", l,
                  name, static_cast<int>(got >> l & 1), before.vgpr[1][l], before.vgpr[0][l],
                  before.vgpr[3][l], before.vgpr[2][l], before.vgpr[5][l], before.vgpr[4][l],
                  static_cast<unsigned long long>(before.scalar), before.mode);
    return text;
  };
  std::string found = check("VCC", w.wave().vcc(), after.vcc);
  if (found.empty()) found = check("the SGPR pair", w.wave().sgpr64(carry_out), after.carry_out);
  if (found.empty()) found = check("EXEC", w.wave().exec(), after.exec);
  return found;
}

struct Assembled {
  Variant variant;
  std::vector<uint8_t> bytes;
};
// `count` variants of every form that the assembler knows for this instruction.
std::vector<Assembled> variants_of(const Reference& reference, int count, Random& random) {
  std::vector<Assembled> variants;
  for (const Form form : forms) {
    if (form == Form::op_sel && !reference.has_op_sel && !reference.packed) continue;
    if (reference.packed && (form == Form::sdwa || form == Form::dpp)) continue;
    for (int i = 0; i < count; ++i) {
      Variant variant(reference, form, random);
      try {
        std::vector<uint8_t> bytes = test::assemble(variant.text);
        variants.push_back({std::move(variant), std::move(bytes)});
      } catch (const std::runtime_error& error) {
        INFO(variant.text << ": " << error.what());
        REQUIRE((form == Form::sdwa || form == Form::dpp)); // not every instruction has these encodings
        break;
      }
    }
  }
  return variants;
}

void fuzz(const References& references, int count, int runs) {
  Random random(setting("FMHA950_FUZZ_SEED", 950));
  count = static_cast<int>(setting("FMHA950_FUZZ_ROUNDS", static_cast<uint64_t>(count)));
  std::map<Form, int> tried;
  for (const Reference& reference : references)
    for (const Assembled& assembled : variants_of(reference, count, random)) {
      ++tried[assembled.variant.form];
      std::vector<State> before;
      std::vector<Expected> after;
      for (int run = 0; run < runs; ++run) {
        before.push_back(random_state(random));
        after.push_back(expected(assembled.variant, before.back()));
      }
      for (const std::string& simd : test::host_simds()) {
        std::string error;
        REQUIRE(isa::select_simd(simd, error));
        const test::Code code(assembled.bytes);
        test::OneWave wave({}, 16, 16);
        for (size_t run = 0; run < before.size(); ++run) {
          load(wave, before[run]);
          wave.run(code);
          const std::string found = difference(wave, before[run], after[run]);
          if (found.empty()) continue;
          UNSCOPED_INFO(assembled.variant.text << " on " << simd << ", " << found);
          CHECK(found.empty());
          break;
        }
      }
    }
  const auto all = static_cast<int>(references.size()) * count;
  CHECK(tried[Form::plain] == all);
  CHECK(tried[Form::modified] == all);
  CHECK((references[0].packed ? tried[Form::op_sel] : tried[Form::sdwa]) > 0);
}

} // namespace

TEST_CASE("random float instructions agree with host-compiled code") { fuzz(float_references(), 6, 8); }
TEST_CASE("random integer instructions agree with host-compiled code") { fuzz(integer_references(), 6, 8); }
TEST_CASE("random comparisons agree with host-compiled code") { fuzz(compare_references(), 4, 6); }
TEST_CASE("random conversions agree with host-compiled code") { fuzz(convert_references(), 6, 8); }
TEST_CASE("random packed instructions agree with host-compiled code") { fuzz(packed_references(), 6, 8); }
TEST_CASE("many random instructions agree with host-compiled code", "[slow]") {
  for (const References& references : {float_references(), integer_references(), compare_references(),
                                       convert_references(), packed_references()})
    fuzz(references, 60, 8);
}
