// Rows of device memory that are loaded as a whole are remembered as one: what is found must be what is
// found cell by cell.

#include "tests/observe/memory_order_case.hpp"

#include "tests/support/catch.hpp"

#include <random>

using namespace fmha950;
using namespace fmha950::test;

namespace {

// The same operations at a place where rows begin, and at one where none does.
struct Place : MemoryOrderCase {
  explicit Place(uint64_t first) : begin(base + first) {}
  uint64_t begin;
  TracedWorkgroup one{checks, 2, 0}, two{other_checks, 2, 1}, three{other_checks, 2, 2};
  TracedWorkgroup& workgroup(size_t which) { return which == 0 ? one : which == 1 ? two : three; }
};

std::string text(const observe::Hazard& hazard, uint64_t begin) {
  const auto party = [](const observe::Party& of) {
    return std::to_string(of.address) + " of workgroup " + std::to_string(of.workgroup) + ", wave " +
           std::to_string(of.wave) + ", lane " + std::to_string(of.lane);
  };
  return party(hazard.earlier) + "; " + party(hazard.later) + "; " + std::to_string(hazard.begin - begin) +
         " to " + std::to_string(hazard.end - begin) + " " + hazard.what + hazard.missing;
}

void check(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  Place rows(0), cells(16);
  for (int step = 0; step < 200; ++step) {
    const size_t which = below(3);
    const int wave = static_cast<int>(below(2));
    const uint32_t kind = below(40);
    const LaneRange whole{.begin = 128 * below(8), .bytes = 16, .stride = 16, .swizzle = 16 * below(8)};
    const LaneRange part = one_lane(16 * below(128) + 4 * below(4), 4, static_cast<int>(below(64)));
    for (Place* place : {&rows, &cells}) {
      TracedWorkgroup& workgroup = place->workgroup(which);
      const auto moved = [&](LaneRange range) {
        range.begin += place->begin;
        return range;
      };
      if (kind < 30)
        workgroup.load(wave, moved(whole));
      else if (kind < 32)
        workgroup.wait_all(wave);
      else if (kind < 34)
        workgroup.barrier();
      else if (kind < 36 && step > 60)
        workgroup.load(wave, moved(part));
      else if (kind == 36 && step > 80)
        workgroup.store(wave, moved(part));
      else if (kind == 37 && step > 120)
        workgroup.store(wave, moved(whole));
      else if (kind == 38 && step > 80)
        workgroup.vm(wave, Kind::atomic, moved(part), true);
    }
    REQUIRE(rows.hazards.all.size() == cells.hazards.all.size());
    for (size_t i = 0; i < rows.hazards.all.size(); ++i)
      REQUIRE(text(rows.hazards.all[i], rows.begin) == text(cells.hazards.all[i], cells.begin));
  }
}

} // namespace

TEST_CASE("Rows that are loaded as a whole hide nothing", "[memory_order]") {
  for (uint32_t seed = 1; seed <= 100; ++seed) check(seed);
}

TEST_CASE_METHOD(MemoryOrderCase, "Rows that were loaded as a whole become cells", "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  const uint64_t reader = one.load(0, row_at(0));
  two.load(0, row_at(0));
  CHECK(memory.block(base).cells() == 0);
  SECTION("a byte is stored") {
    two.store(0, one_lane(base + 16 * 21 + 5, 1, 3));
    CHECK(memory.block(base).cells() == 4096);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].earlier.address == reader);
    CHECK(hazards.all[0].earlier.lane == 21);
    CHECK(hazards.all[0].later.lane == 3);
    CHECK(hazards.all[0].begin == base + 16 * 21 + 5);
  }
  SECTION("what was not loaded is stored") {
    two.store(0, one_lane(base + 1024));
    CHECK(hazards.all.empty());
  }
  SECTION("the next launch") {
    memory.begin_launch();
    TracedWorkgroup next(checks, 1, 2);
    next.store(0, row_at(0));
    CHECK(hazards.all.empty());
  }
}
