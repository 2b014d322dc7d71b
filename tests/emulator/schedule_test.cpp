// Schedules as text; change points and wave orders.
#include "emulator/machine/launch.hpp"
#include "emulator/machine/wave_turns.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950::machine;

namespace {
Schedule parsed(std::string_view text) {
  Schedule schedule;
  std::string error;
  INFO(text << ": " << error);
  REQUIRE(parse_schedule(text, schedule, error));
  return schedule;
}
std::string refusal(std::string_view text) {
  Schedule schedule;
  schedule.memory_seed = 77;
  std::string error;
  REQUIRE_FALSE(parse_schedule(text, schedule, error));
  CHECK(schedule.memory_seed == 77); // untouched
  return error;
}
} // namespace

TEST_CASE("schedule: memory and wave orders") {
  CHECK(parsed("eager").memory == MemoryOrder::eager);
  CHECK(parsed("timed").memory == MemoryOrder::timed);
  CHECK(parsed("eager").waves == WaveOrder::round_robin);
  CHECK(parsed("lazy,round-robin").memory == MemoryOrder::lazy);
  CHECK(parsed("random:18446744073709551615").memory_seed == ~uint64_t{0});
  const Schedule both = parsed("random:3,random:4");
  CHECK(both.memory == MemoryOrder::random);
  CHECK(both.memory_seed == 3);
  CHECK(both.waves == WaveOrder::random);
  CHECK(both.wave_seed == 4);
  const Schedule starving = parsed("lazy,starve:7");
  CHECK(starving.waves == WaveOrder::starve);
  CHECK(starving.wave_seed == 7);
  const Schedule by_priority = parsed("pct:5,pct:18446744073709551615");
  CHECK(by_priority.memory == MemoryOrder::pct);
  CHECK(by_priority.memory_seed == 5);
  CHECK(by_priority.waves == WaveOrder::pct);
  CHECK(by_priority.wave_seed == ~uint64_t{0});
}

TEST_CASE("schedule: what is none says what would be right") {
  const std::string memory = ": must be timed, eager, lazy, random:SEED or pct:SEED (SEED 0 to 2^64-1)";
  const std::string waves = ": must be round-robin, random:SEED, starve:WAVE or pct:SEED";
  for (const char* text : {"", "Eager", "random", "random:", "random:x", "random:1x", "random:-1", "eager ",
                           "pct", "pct:", "pct:1.5"})
    CHECK(refusal(text) == "memory schedule = '" + std::string(text) + "'" + memory);
  CHECK(refusal("random:18446744073709551616") == "memory schedule = 'random:18446744073709551616'" + memory);
  CHECK(refusal("eager,") == "wave schedule = ''" + waves);
  CHECK(refusal("eager,pct:") == "wave schedule = 'pct:'" + waves);
  CHECK(refusal("lazy,starve") == "wave schedule = 'starve'" + waves);
  CHECK(refusal("timed,random:1") ==
        "wave schedule = 'random:1': timed takes none, the cycle model orders waves, too");
  CHECK(refusal("lazy,random:1,x") == "wave schedule = 'random:1,x'" + waves);
}

TEST_CASE("pct: each window of a run has at most three change points, at least one, anywhere in it") {
  std::set<uint64_t> lengths, first;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ChangePoints points;
    points.restart(Random(seed));
    // A window's length is the smallest power of two of which no stretch holds more than three points.
    std::vector<uint64_t> steps;
    for (uint64_t step = 1; step <= 1 << 18; ++step)
      if (points.advance()) steps.push_back(step);
    first.insert(steps.front());
    uint64_t length = 0;
    for (uint64_t candidate = 1 << 16; candidate >= 1 << 6; candidate /= 2) {
      std::vector<int> in_window((1 << 18) / candidate);
      for (uint64_t step : steps) ++in_window[(step - 1) / candidate];
      if (*std::max_element(in_window.begin(), in_window.end()) <= 3 &&
          *std::min_element(in_window.begin(), in_window.end()) >= 1)
        length = candidate;
    }
    REQUIRE(length != 0);
    lengths.insert(length);
  }
  CHECK(lengths.size() == 11); // 2^6 to 2^16
  CHECK(first.size() > 200);
}

TEST_CASE("pct: steps may be taken one by one or many at a time") {
  ChangePoints one, many;
  one.restart(Random(3));
  many.restart(Random(3));
  for (int change = 0; change < 50; ++change) {
    const uint64_t steps = many.until_next();
    REQUIRE(steps >= 1);
    for (uint64_t i = 1; i < steps; ++i) REQUIRE_FALSE(one.advance());
    REQUIRE(one.advance());
    if (steps > 1) REQUIRE_FALSE(many.advance(steps - 1));
    REQUIRE(many.advance(1));
  }
}

namespace {
// Runs `waves` waves of `length` instructions each; who ran each instruction.
std::vector<int> interleaving(std::string_view schedule, uint64_t seed, size_t waves, uint64_t length) {
  Launch launch;
  launch.options.schedule = parsed(schedule);
  Workgroup workgroup;
  workgroup.launch = &launch;
  workgroup.wave_random = Random(seed);
  workgroup.waves.resize(waves);
  for (size_t i = 0; i < waves; ++i) workgroup.waves[i].index = static_cast<int>(i);
  WaveTurns turns(workgroup);
  std::vector<int> ran;
  while (Wave* wave = turns.next()) {
    const uint64_t count = std::min(turns.turn(), length - wave->executed);
    ran.insert(ran.end(), count, wave->index);
    wave->executed += count;
    if (wave->executed == length) wave->state = WaveState::ended;
    turns.executed(count);
  }
  return ran;
}
} // namespace

TEST_CASE("pct: every wave may run first to its end, and few changes interrupt it") {
  std::set<int> first_to_end;
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<int> ran = interleaving("eager,pct:1", seed, 4, 40);
    REQUIRE(ran.size() == 160);
    for (int wave = 0; wave < 4; ++wave) REQUIRE(std::count(ran.begin(), ran.end(), wave) == 40);
    int changes = 0;
    for (size_t i = 1; i < ran.size(); ++i) changes += ran[i] != ran[i - 1];
    REQUIRE(changes >= 3);
    REQUIRE(changes <= 3 + 3 * 3); // four ends, and three points in each of three windows of 64
    if (std::all_of(ran.begin(), ran.begin() + 40, [&](int w) { return w == ran[0]; }))
      first_to_end.insert(ran[0]);
    orders.insert(ran);
    CHECK(ran == interleaving("eager,pct:1", seed, 4, 40));
  }
  CHECK(first_to_end.size() == 4);
  CHECK(orders.size() > 50);
}

TEST_CASE("pct: a wave that waits in a loop for another falls behind it") {
  // Wave 0 never ends by itself: the others must still come to their ends.
  Launch launch;
  launch.options.schedule = parsed("eager,pct:1");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Workgroup workgroup;
    workgroup.launch = &launch;
    workgroup.wave_random = Random(seed);
    workgroup.waves.resize(3);
    WaveTurns turns(workgroup);
    for (int turn = 0; turn < 1000; ++turn) {
      Wave* wave = turns.next();
      if (!wave) break;
      const bool spins = wave == &workgroup.waves[0];
      turns.executed(spins ? turns.turn() : 10);
      if (!spins) wave->state = WaveState::ended;
      if (workgroup.waves[1].state == WaveState::ended && workgroup.waves[2].state == WaveState::ended)
        wave->state = workgroup.waves[0].state = WaveState::ended;
    }
    CHECK(turns.next() == nullptr);
  }
}
