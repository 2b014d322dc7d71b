// Events come in the order of their clocks, and within a clock in that of their numbers, whatever the order in which they
// were added.
#include "emulator/timing/online/events.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <set>

using namespace fmha950::timing;

namespace {

using Key = std::pair<uint64_t, uint64_t>; // clock and number

Event event_of(uint64_t clock, uint64_t number) {
  return {.clock = clock, .number = number, .operation = static_cast<uint32_t>(number)};
}

} // namespace

TEST_CASE("events: the order of a sorted set, with those far ahead") {
  std::mt19937_64 random(1);
  Events events;
  for (const uint64_t begin : {uint64_t{0}, uint64_t{4'999'999'999}}) {
    events.begin(begin);
    std::set<Key> expected;
    uint64_t number = 0, now = begin;
    for (int round = 0; round < 100'000; ++round) {
      const bool adds = expected.empty() || random() % 2;
      if (adds) { // most are near, some at once, some far beyond what is near
        const uint64_t ahead = random() % 16 == 0   ? random() % 20'000
                               : random() % 64 == 0 ? 0
                                                    : random() % 900;
        events.add(event_of(now + ahead, number));
        expected.insert({now + ahead, number++});
      } else {
        REQUIRE(events.first() == expected.begin()->first);
        const Event next = events.take();
        REQUIRE(Key(next.clock, next.number) == *expected.begin());
        CHECK(next.operation == static_cast<uint32_t>(next.number));
        now = next.clock;
        expected.erase(expected.begin());
      }
      REQUIRE(events.empty() == expected.empty());
    }
  }
}

TEST_CASE("events: what is added again within its own clock comes before younger ones") {
  Events events;
  events.begin(10);
  for (uint64_t number = 0; number < 3; ++number) events.add(event_of(12, number));
  CHECK(events.take().number == 0);
  events.add(event_of(12, 0));
  for (uint64_t number = 0; number < 3; ++number) CHECK(events.take().number == number);
  CHECK(events.empty());
  CHECK(events.first() == Events::never);
}

TEST_CASE("events: begin forgets") {
  Events events;
  events.begin(0);
  events.add(event_of(5, 0));
  events.add(event_of(100'000, 1));
  events.begin(7);
  CHECK(events.empty());
  events.add(event_of(7, 2));
  CHECK(events.take().number == 2);
  CHECK(events.empty());
}
