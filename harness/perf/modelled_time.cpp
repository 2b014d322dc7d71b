#include "harness/perf/modelled_time.hpp"

#include "harness/perf/clock_law.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

double seconds_by(const ClockLaw& law, const Modelled& modelled) {
  double seconds = dispatch_seconds * static_cast<double>(modelled.launches.size());
  for (const ModelledLaunch& launch : modelled.launches)
    seconds += launch.clocks / law.hertz(busy_shares_of(launch));
  return seconds;
}

// Of `value` under each law, the best first; `sampling` widens it by two standard errors.
template <class Value> Range range_over_laws(const Value& value, double sampling) {
  const double best = value(clock_law);
  Range range{best, best, best};
  for (const ClockLaw& law : other_clock_laws) {
    range.low = std::min(range.low, value(law));
    range.high = std::max(range.high, value(law));
  }
  range.low /= 1 + 2 * sampling;
  range.high *= 1 + 2 * sampling;
  return range;
}

double sampling_of(const Modelled& modelled) { return modelled.sampling_error().value_or(0); }

} // namespace

Range seconds_of(const Modelled& modelled) {
  return range_over_laws([&](const ClockLaw& law) { return seconds_by(law, modelled); },
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

Range speed_of(const Modelled& modelled, const Modelled& other) {
  return range_over_laws(
      [&](const ClockLaw& law) {
        return modelled.flops / seconds_by(law, modelled) / (other.flops / seconds_by(law, other));
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
