// What may run beside the matrix unit of a SIMD, as sources have it: assumptions packed_alone and mfma_slot (machine_gfx950.md 6.3).
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>

using namespace fmha950::timing;

namespace {

constexpr Assumptions alone{.packed_alone = true}, slot{.mfma_in_valu_slot = true};
Op packed(int from, int to) { return valu(from, to, Kind::packed_valu); }

// Waves 0 and 4 are on SIMD 0: these instructions over and over, and those.
uint64_t clocks_of(const std::vector<Op>& of_first, const std::vector<Op>& of_fifth,
                   const Assumptions& assumptions) {
  ReplayCase replay;
  for (int wave = 0; wave < 8; ++wave) replay.add_wave(wave < 4 ? of_first : of_fifth, 100);
  return replay.run(assumptions).clocks - workgroup_start_clocks;
}

} // namespace

TEST_CASE("timing: a packed instruction runs beside the matrix unit, or waits for it and holds it") {
  const std::vector<Op> both = {mfma(4, 0), packed(10, 20)};
  CHECK(clocks_per_repetition(both) == 16);
  CHECK(clocks_per_repetition(both, 1, alone) == 20);
  CHECK(clocks_per_repetition({mfma(4, 0), packed(10, 20), packed(11, 21)}, 1, alone) == 24);
  CHECK(clocks_per_repetition({packed(10, 20)}, 1, alone) == 4); // without one it has nothing to wait for
}

TEST_CASE("timing: a plain instruction runs beside the matrix unit, whatever is assumed of packed ones") {
  const std::vector<Op> both = {mfma(4, 0), valu(10, 20), valu(11, 21), valu(12, 22)};
  CHECK(clocks_per_repetition(both, 1, alone) == 16);
  CHECK(clocks_of({mfma(4, 0)}, {valu(10, 20)}, alone) == clocks_of({mfma(4, 0)}, {valu(10, 20)}, {}));
}

TEST_CASE("timing: a packed instruction of another wave takes the matrix unit's time, too") {
  CHECK(clocks_of({mfma(4, 0)}, {packed(10, 20)}, {}) == Approx(1600).margin(40));
  CHECK(clocks_of({mfma(4, 0)}, {packed(10, 20)}, alone) == Approx(2000).margin(40));
}

TEST_CASE("timing: of a packed and a matrix instruction the one of higher priority goes first") {
  for (const int of_packed : {0, 2}) {
    ReplayCase replay;
    std::vector<Op> products = {priority(1)}, sums = {priority(of_packed)};
    for (int i = 0; i < 20; ++i) {
      products.push_back(mfma(4, 4 * (i % 4)));
      sums.push_back(packed(30, 40 + i % 8));
    }
    for (int wave = 0; wave < 8; ++wave) replay.add_wave(wave < 4 ? products : sums);
    const Simulation simulation = replay.run(alone);
    uint64_t last_packed = 0, last_product = 0;
    for (const Issue& issue : issues_of(simulation)) {
      const Kind kind = replay.kernel().ops[issue.op].kind;
      if (kind == Kind::packed_valu) last_packed = std::max(last_packed, issue.clock);
      if (kind == Kind::mfma) last_product = std::max(last_product, issue.clock);
    }
    CAPTURE(of_packed, last_packed, last_product);
    CHECK((last_packed < last_product) == (of_packed == 2));
  }
}

TEST_CASE("timing: an MFMA takes two of its SIMD's VALU slots, if it takes any") {
  // 100 of 16 clocks beside 400 of 4.
  const std::vector<Op> four(4, valu(10, 20));
  CHECK(clocks_of({mfma(4, 0)}, four, {}) == Approx(1600).margin(40));
  CHECK(clocks_of({mfma(4, 0)}, four, slot) == Approx(2400).margin(40));
  CHECK(clocks_of({mfma(4, 0)}, {valu(10, 20), valu(11, 21)}, slot) == Approx(1600).margin(40));
}
