// Which lines a vector memory access touches, and how long its addresses take: by the definition, lane by lane.
#include "emulator/timing/record/access_record.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <set>

using namespace fmha950;
using namespace fmha950::timing;

namespace {

struct Expected {
  std::vector<uint64_t> lines; // in the order in which lanes first touch them
  int clocks = 0;              // one for each line of each 16 lanes, and at least one for these
};

Expected by_definition(const machine::Access& access, uint32_t bytes) {
  Expected expected;
  for (int quarter = 0; quarter < 4; ++quarter) {
    std::set<uint64_t> of_quarter;
    for (int lane = quarter * 16; lane < quarter * 16 + 16; ++lane) {
      if (!(access.valid >> lane & 1)) continue;
      for (uint64_t byte = access.address[lane]; byte < access.address[lane] + bytes; ++byte) {
        const uint64_t line = byte / line_bytes;
        of_quarter.insert(line);
        if (std::ranges::find(expected.lines, line) == expected.lines.end()) expected.lines.push_back(line);
      }
    }
    expected.clocks += std::max(1, static_cast<int>(of_quarter.size()));
  }
  return expected;
}

} // namespace

TEST_CASE("timing: the lines of a vector memory access are those that its lanes touch") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 4000; ++round) {
    const uint32_t bytes = std::array{1u, 2u, 4u, 8u, 12u, 16u}[random() % 6];
    machine::Access access;
    const uint64_t base = (random() >> 20) * 16 + (random() % 8 == 0 ? random() % 16 : 0);
    const uint64_t stride = std::array<uint64_t, 6>{bytes, 0, 128, 256, 100, 4096}[random() % 6];
    const uint64_t mixed = random() % 2 ? random() % 16 : 0, far = random() % 4 == 0 ? 1 << 14 : 1;
    for (uint64_t lane = 0; lane < 64; ++lane)
      access.address[lane] = base + (lane ^ mixed) * stride + random() % far / bytes * bytes;
    access.lanes = access.valid = random() % 3 == 0 ? random() : ~uint64_t{0};
    const observe::MemoryOperation operation{.kind = observe::MemoryOperation::Kind::load,
                                             .bytes = static_cast<uint8_t>(bytes)};
    WaveRecord wave;
    wave.ops.push_back(0);
    record_access(operation, access, machine::Queue::vm, 0, wave);
    const Expected expected = by_definition(access, bytes);
    CAPTURE(round, bytes, stride, mixed, access.valid);
    REQUIRE(wave.accesses.size() == 1);
    CHECK(wave.lines == expected.lines);
    CHECK(wave.accesses[0].clocks == expected.clocks);
    CHECK(wave.accesses[0].bytes == bytes * static_cast<uint32_t>(std::popcount(access.valid)));
  }
}
