// Barriers that order nothing because a doubted change brings them (docs/cures.md, "What a cure is").
#include "emulator/observe/order/clocks.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::observe;
using machine::Queue;

namespace {

// Waves with one DS operation each, which is complete.
struct Waves {
  Waves(size_t count, bool doubts_meetings) { clocks.start(0, count, doubts_meetings); }
  static Completion one_operation() {
    Completion completion;
    completion.ds = {1, 1};
    return completion;
  }
  void arrive(int wave) { clocks.arrived(wave, one_operation()); }
  void end(int wave) { clocks.ended(wave, one_operation()); }
  bool knows(int wave, int of) const {
    return clocks.knows(wave, {}, {1, static_cast<uint8_t>(of), Queue::ds});
  }
  WorkgroupClocks clocks;
};

} // namespace

TEST_CASE("doubted meetings: waves after as many barriers learn of each other, others do not") {
  for (const bool doubts : {false, true}) {
    CAPTURE(doubts);
    Waves waves(3, doubts);
    waves.clocks.arrived_in_doubt(); // wave 0, at an inserted barrier
    waves.arrive(1);
    waves.arrive(2);
    waves.clocks.released();
    CHECK(waves.knows(1, 2));
    CHECK_FALSE(waves.knows(1, 0));
    for (int wave : {0, 1, 2}) waves.arrive(wave);
    waves.clocks.released();
    CHECK(waves.knows(2, 1));
    CHECK(waves.knows(1, 0) != doubts);
    CHECK(waves.knows(0, 1) != doubts);
  }
}

TEST_CASE("doubted meetings: waves that are level again learn of each other") {
  Waves waves(2, true);
  waves.clocks.arrived_in_doubt(); // wave 0
  waves.arrive(1);
  waves.clocks.released();
  waves.arrive(0);
  waves.clocks.arrived_in_doubt(); // wave 1
  waves.clocks.released();
  CHECK_FALSE(waves.knows(0, 1));
  waves.arrive(0);
  waves.arrive(1);
  waves.clocks.released();
  CHECK(waves.knows(0, 1));
  CHECK(waves.clocks.known_to_all().of(1, Queue::ds) == 1);
}

TEST_CASE("doubted meetings: a wave that ended is known to those that came to more barriers") {
  Waves waves(3, true);
  waves.clocks.arrived_in_doubt(); // wave 1
  waves.arrive(0);
  waves.arrive(2);
  waves.clocks.released();
  waves.end(0); // after one barrier
  waves.arrive(1);
  waves.arrive(2);
  waves.clocks.released();
  CHECK_FALSE(waves.knows(1, 0)); // this is its first: without the change it would have met wave 0 there
  CHECK(waves.knows(2, 0));
  waves.arrive(1);
  waves.arrive(2);
  waves.clocks.released();
  CHECK(waves.knows(1, 0));
}
