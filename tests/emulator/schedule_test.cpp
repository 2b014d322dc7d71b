// Schedules as text.
#include "emulator/machine/schedule.hpp"

#include <catch2/catch.hpp>

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
}

TEST_CASE("schedule: what is none says what would be right") {
  const std::string memory = ": must be eager, lazy or random:SEED (SEED 0 to 2^64-1)";
  const std::string waves = ": must be round-robin, random:SEED or starve:WAVE";
  for (const char* text : {"", "Eager", "random", "random:", "random:x", "random:1x", "random:-1", "eager "})
    CHECK(refusal(text) == "memory schedule = '" + std::string(text) + "'" + memory);
  CHECK(refusal("random:18446744073709551616") == "memory schedule = 'random:18446744073709551616'" + memory);
  CHECK(refusal("eager,") == "wave schedule = ''" + waves);
  CHECK(refusal("lazy,starve") == "wave schedule = 'starve'" + waves);
  CHECK(refusal("lazy,random:1,x") == "wave schedule = 'random:1,x'" + waves);
}
