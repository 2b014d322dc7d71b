#include "harness/perf/modelled_time.hpp"

#include "harness/perf/clock_law.hpp"
#include "harness/perf/reference_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <ranges>

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

ModelledLaunch in(const World& world, const ModelledLaunch& launch) {
  return world.words.empty() ? launch : under(*assumed_in(launch, world.words), launch);
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

// One value in each world.
template <class Value> Named by_world(const std::vector<World>& worlds, const Value& value) {
  Named values;
  for (const World& world : worlds) values.emplace_back(world.name, value(world));
  return values;
}

// The best first. `sampling` is the factor by which two standard errors widen the ends.
Range range_over(const Named& values, std::optional<double> sampling) {
  const auto [low, high] = std::ranges::minmax(values | std::views::values);
  return {values.front().second, low / sampling.value_or(1), high * sampling.value_or(1),
          sampling.has_value()};
}

std::optional<double> widening(std::optional<double> sampling_error) {
  return sampling_error ? std::optional(1 + 2 * *sampling_error) : std::nullopt;
}

// The geometric mean over the speeds in the world of that name; none where one of them does not know it.
std::optional<double> mean_in(const std::string& world, const std::vector<Speed>& speeds) {
  double logarithms = 0;
  for (const Speed& speed : speeds) {
    const auto found = std::ranges::find(speed.by_world, world, &Named::value_type::first);
    if (found == speed.by_world.end()) return {};
    logarithms += std::log(found->second);
  }
  return std::exp(logarithms / static_cast<double>(speeds.size()));
}

} // namespace

Range seconds_of(const Modelled& modelled) {
  const auto seconds = [&](const World& world) { return seconds_in(world, modelled); };
  return range_over(by_world(worlds({&modelled}), seconds), widening(modelled.sampling_error()));
}

Range teraflops_of(const Modelled& modelled) {
  const Range seconds = seconds_of(modelled);
  const auto rate = [&](double time) { return modelled.flops / time / 1e12; };
  return {rate(seconds.best), rate(seconds.high), rate(seconds.low), seconds.sampling_known};
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

Speed speed_of(const Modelled& modelled, const Modelled& other) {
  const auto speed = [&](const World& world) {
    return modelled.flops / seconds_in(world, modelled) / (other.flops / seconds_in(world, other));
  };
  const auto mine = modelled.sampling_error(), its = other.sampling_error();
  return {by_world(worlds({&modelled, &other}), speed),
          mine && its ? std::optional(std::hypot(*mine, *its)) : std::nullopt};
}

Speed speed_of(const Modelled& modelled, double measured_teraflops) {
  const auto speed = [&](const World& world) {
    return modelled.flops / seconds_in(world, modelled) / 1e12 / measured_teraflops;
  };
  return {by_world(worlds({&modelled}), speed), modelled.sampling_error(), laboratory_spread};
}

Range mean_of(const std::vector<Speed>& speeds) {
  Named means;
  for (const auto& [world, speed] : speeds.front().by_world)
    if (const auto mean = mean_in(world, speeds)) means.emplace_back(world, *mean);
  std::optional<double> logarithms = 0;
  double spread = 0;
  for (const Speed& speed : speeds) {
    const auto wider = widening(speed.sampling_error);
    logarithms = logarithms && wider ? std::optional(*logarithms + std::log(*wider)) : std::nullopt;
    spread = std::max(spread, speed.laboratory_spread);
  }
  const auto sampling =
      logarithms ? std::optional(std::exp(*logarithms / static_cast<double>(speeds.size()))) : std::nullopt;
  Range range = range_over(means, sampling);
  range.low /= 1 + spread;
  range.high /= 1 - spread;
  return range;
}

const char* verdict_of(const Range& speed) {
  if (!speed.sampling_known) return "undecided";
  return speed.low > 1 ? "ahead" : speed.high < 1 ? "behind" : "undecided";
}

std::string ends_of(const Range& range, int digits) {
  return fmt::format("{:.{}f} to {:.{}f}{}", range.low, digits, range.high, digits,
                     range.sampling_known ? "" : " ?");
}

Named energy_stack_of(const Modelled& modelled) {
  Named stack{{"idle", 0}, {"matrix_bf16", 0}, {"matrix_fp8", 0}, {"matrix_f8f6f4", 0},
              {"valu", 0}, {"lds", 0},         {"bytes", 0},      {"highest_clock", 0}};
  for (const ModelledLaunch& launch : modelled.launches) {
    const BusyShares shares = busy_shares_of(launch);
    const double parts[] = {clock_law.idle,
                            clock_law.matrix_bf16 * shares.matrix_bf16,
                            clock_law.matrix_fp8 * shares.matrix_fp8,
                            clock_law.matrix_f8f6f4 * shares.matrix_f8f6f4,
                            clock_law.valu * shares.valu,
                            clock_law.lds * shares.lds,
                            clock_law.mall * shares.mall,
                            clock_law.nanoseconds(shares) - clock_law.energy(shares)};
    for (size_t i = 0; i < stack.size(); ++i)
      stack[i].second += parts[i] * launch.clocks / modelled.clocks() * modelled.clocks_per_tile();
  }
  return stack;
}

} // namespace fmha950::harness
