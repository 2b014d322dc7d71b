// Every VALU row, on every vector width of this host, leaves the same bits in all registers: on random and
// edge values, under random EXEC masks and modifiers.
#include "emulator/memory/fault.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <random>

using namespace fmha950;

namespace {

constexpr int registers = 32;

bool is_valu(const std::string& family) {
  return family.starts_with("valu") || family.starts_with("packed") || family == "lane" ||
         family == "transcendental";
}

// 32-bit patterns that are edges of f32, of a half in either half, or of an f64's high word.
uint32_t pattern(std::mt19937& engine) {
  static constexpr uint32_t edges[] = {
      0,          1,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00001,
      0x7F800001, 0xFFA00000, 0x00800000, 0x007FFFFF, 0x3C003C00, 0x7C00FC00, 0x7E017D01, 0x04000001,
      0x83FF8000, 0x7BFFFBFF, 0x3FF00000, 0x7FF00000, 0x7FF80000, 0x7FF40000, 0xFFFFFFFF, 0x7FFFFFFF,
      31,         32,         0x00FF00FF, 0x4F000000, 0xC3000000, 0x42FE0000};
  const uint32_t choice = engine() % 4;
  if (choice == 0) return edges[engine() % std::size(edges)];
  if (choice == 1)
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(engine() % 4001) - 2000) / 16);
  return engine();
}

isa::Instruction random_instruction(const isa::Row& row, bool packed, std::mt19937& engine) {
  isa::Instruction in;
  in.row = &row;
  in.execute = row.execute;
  in.encoding = packed ? isa::Encoding::vop3p : isa::Encoding::vop3;
  in.dst = 20;
  in.sdst = engine() % 2 ? 106 : 30;
  in.op_sel_hi = 7;
  for (int i = 0; i < 3; ++i) {
    isa::Source& source = in.src[i];
    source.kind = static_cast<isa::Source::Kind>(engine() % 8 == 0 ? 2 + engine() % 2 : 1);
    source.index = static_cast<uint16_t>(4 + 4 * i);
    source.value = pattern(engine) | uint64_t{pattern(engine)} << 32;
  }
  if (engine() % 2) return in;
  in.words[0] = engine();
  in.words[1] = engine();
  in.clamp = engine() % 4 == 0;
  in.omod = engine() % 4;
  in.op_sel = engine() % 16;
  in.op_sel_hi = engine() % 8;
  for (isa::Source& source : in.src) {
    source.neg = engine() % 2;
    source.abs = engine() % 2;
    source.neg_hi = engine() % 2;
  }
  in.extension = packed ? isa::Extension::none : static_cast<isa::Extension>(engine() % 3);
  in.modified = packed || in.extension != isa::Extension::none ? isa::modified_all : engine() % 16;
  return in;
}

struct Outcome {
  std::vector<uint32_t> state;
  std::string fault;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const isa::Row& row, bool packed, uint32_t seed) {
  std::mt19937 engine(seed);
  test::OneWave one({}, registers, registers);
  machine::Wave& wave = one.wave();
  for (int i = 0; i < registers * 64; ++i) wave.vgpr[i] = pattern(engine);
  for (int i = 0; i < 128; ++i) wave.sgpr[i] = pattern(engine);
  if (engine() % 2) wave.set_exec(~uint64_t{0});
  wave.mode = engine() % 2 ? 0x3F0 : engine() % 2 ? 0x100 : 0;
  const isa::Instruction in = random_instruction(row, packed, engine);
  Outcome outcome;
  try {
    in.execute(wave, in);
  } catch (const machine::Fault& fault) {
    outcome.fault = fault.what();
  }
  outcome.state.assign(wave.vgpr, wave.vgpr + registers * 64);
  outcome.state.insert(outcome.state.end(), wave.sgpr, wave.sgpr + 128);
  return outcome;
}

} // namespace

TEST_CASE("VALU rows give the same bits on every vector width") {
  constexpr uint32_t rounds = 24;
  std::vector<Outcome> expected;
  for (const std::string& simd : test::host_simds()) {
    std::string error;
    REQUIRE(isa::select_simd(simd, error));
    size_t index = 0;
    for (const isa::Family& family : isa::families()) {
      if (!is_valu(family.name)) continue;
      for (size_t r = 0; r < family.rows.count; ++r) {
        const isa::Row& row = family.rows.first[r];
        for (uint32_t round = 0; round < rounds; ++round, ++index) {
          Outcome outcome =
              run(row, std::string(family.name).starts_with("packed"), static_cast<uint32_t>(index));
          if (simd == "baseline") {
            expected.push_back(std::move(outcome));
            continue;
          }
          INFO(simd << ": " << row.mnemonic << ", round " << round);
          if (!(outcome == expected[index])) {
            CHECK(outcome.fault == expected[index].fault);
            for (size_t i = 0; i < outcome.state.size(); ++i)
              if (outcome.state[i] != expected[index].state[i]) {
                INFO("word " << i << " (register " << i / 64 << " lane " << i % 64 << ")");
                CHECK(outcome.state[i] == expected[index].state[i]);
                break;
              }
          }
        }
      }
    }
    CHECK(index > 400 * rounds);
  }
}
