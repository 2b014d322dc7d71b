#include "harness/perf/modelled_time.hpp"

#include "harness/perf/clock_law.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::harness {

namespace {

// What may be true: a law of the clock, and what it was fitted under.
struct World {
  const ClockLaw& law;
  std::string_view words = {}, name = {};
};

const Assumed* assumed_in(const ModelledLaunch& launch, std::string_view words) {
  const auto found = std::ranges::find(launch.assumed, words, &Assumed::words);
  return found == launch.assumed.end() ? nullptr : &*found;
}

bool knows(const Modelled& modelled, std::string_view words) {
  return std::ranges::all_of(
      modelled.launches, [&](const ModelledLaunch& launch) { return assumed_in(launch, words) != nullptr; });
}

// All of its workgroups are as much slower as the longest.
ModelledLaunch in(const World& world, ModelledLaunch launch) {
  if (world.words.empty()) return launch;
  const Assumed& assumed = *assumed_in(launch, world.words);
  launch.clocks *= assumed.slower;
  launch.busy = assumed.busy;
  launch.matrix = assumed.matrix;
  return launch;
}

double seconds_in(const World& world, const Modelled& modelled) {
  double seconds = dispatch_seconds * static_cast<double>(modelled.launches.size());
  for (const ModelledLaunch& launch : modelled.launches) {
    const ModelledLaunch there = in(world, launch);
    seconds += there.clocks / world.law.hertz(busy_shares_of(there));
  }
  return seconds;
}

// The best first. Assumptions that not all of `sides` were replayed under are none.
std::vector<World> worlds(std::initializer_list<const Modelled*> sides) {
  std::vector<World> worlds{{clock_law}};
  for (const OtherClockLaw& other : other_clock_laws) worlds.push_back({other.law, {}, other.name});
  for (const AssumedClockLaw& assumed : assumed_clock_laws)
    if (std::ranges::all_of(sides, [&](const Modelled* side) { return knows(*side, assumed.words); }))
      worlds.push_back({assumed.law, assumed.words, assumed.words});
  return worlds;
}

// `value` in each world; `sampling` widens the ends by two standard errors.
template <class Value>
Range range_over(const std::vector<World>& worlds, const Value& value, double sampling) {
  const double best = value(worlds.front());
  Range range{best, best, best};
  for (const World& world : worlds) {
    range.low = std::min(range.low, value(world));
    range.high = std::max(range.high, value(world));
  }
  range.low /= 1 + 2 * sampling;
  range.high *= 1 + 2 * sampling;
  return range;
}

double sampling_of(const Modelled& modelled) { return modelled.sampling_error().value_or(0); }

} // namespace

Range seconds_of(const Modelled& modelled) {
  return range_over(
      worlds({&modelled}), [&](const World& world) { return seconds_in(world, modelled); },
      sampling_of(modelled));
}

Range teraflops_of(const Modelled& modelled) {
  const Range seconds = seconds_of(modelled);
  const auto rate = [&](double time) { return modelled.flops / time / 1e12; };
  return {rate(seconds.best), rate(seconds.high), rate(seconds.low)};
}

double hertz_of(const Modelled& modelled) {
  double seconds = 0;
  for (const ModelledLaunch& launch : modelled.launches)
    seconds += launch.clocks / clock_law.hertz(busy_shares_of(launch));
  return modelled.clocks() / seconds;
}

Named influences_on(const Modelled& modelled) {
  const double best = seconds_in({clock_law}, modelled);
  Named influences;
  for (const World& world : worlds({&modelled}))
    if (!world.name.empty()) influences.emplace_back(world.name, seconds_in(world, modelled) / best);
  std::ranges::sort(influences, {}, [](const auto& influence) {
    return std::pair(-std::abs(std::log(influence.second)), influence.first);
  });
  return influences;
}

Range speed_of(const Modelled& modelled, const Modelled& other) {
  return range_over(
      worlds({&modelled, &other}),
      [&](const World& world) {
        return modelled.flops / seconds_in(world, modelled) / (other.flops / seconds_in(world, other));
      },
      std::hypot(sampling_of(modelled), sampling_of(other)));
}

Range speed_of(const Modelled& modelled, double measured_teraflops) {
  const Range range = teraflops_of(modelled);
  return {range.best / measured_teraflops, range.low / measured_teraflops, range.high / measured_teraflops};
}

const char* verdict_of(const Range& speed) {
  return speed.low > 1 ? "ahead" : speed.high < 1 ? "behind" : "undecided";
}

} // namespace fmha950::harness
