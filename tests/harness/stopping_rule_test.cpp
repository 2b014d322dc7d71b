#include "harness/perf/measure_series.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <functional>

using namespace fmha950::harness;

namespace {

struct Ended {
  Stopped stopped = Stopped::not_yet;
  int samples = 0;
  double mean = 0, noise = 0;
};

// Of a series of which sample n takes time_of(n) seconds and as much again of wall time.
Ended run(const StoppingLimits& limits, const std::function<double(int)>& time_of) {
  StoppingRule rule(limits);
  double wall = 0;
  Stopped stopped = Stopped::not_yet;
  while (stopped == Stopped::not_yet) {
    const double seconds = time_of(rule.samples());
    rule.add(seconds);
    wall += 2 * seconds;
    stopped = rule.after(wall);
  }
  return {stopped, rule.samples(), rule.mean(), rule.noise()};
}

// In [-1, 1], the same on every run.
double scatter(int n) {
  const uint32_t mixed = (static_cast<uint32_t>(n) * 2654435761u) ^ 0x9E3779B9u;
  return static_cast<double>((mixed * 2246822519u) >> 8) / double(1 << 23) - 1;
}

} // namespace

TEST_CASE("stopping rule: a constant series is quiet as soon as it is long enough") {
  const auto constant = [](int) { return 0.01; };
  const Ended by_time = run({.least_seconds = 0.5}, constant);
  CHECK(by_time.stopped == Stopped::quiet);
  CHECK(by_time.samples == 51);
  CHECK(by_time.mean == Approx(0.01));
  CHECK(by_time.noise == Approx(0).margin(1e-9));
  CHECK(run({.least_seconds = 0}, constant).samples == 10);
  CHECK(run({.least_seconds = 0, .least_samples = 3}, constant).samples == 5); // before, noise is unknown
}

TEST_CASE("stopping rule: noise below the limit is quiet, above it the series ends once it is steady") {
  const auto noisy = [](double share) { return [share](int n) { return 1e-3 * (1 + share * scatter(n)); }; };
  const Ended little = run({.noise = 0.01, .least_seconds = 0}, noisy(0.01));
  CHECK(little.stopped == Stopped::quiet);
  CHECK(little.samples < 64);
  const Ended much = run({.noise = 0.01, .least_seconds = 0}, noisy(0.2));
  CHECK(much.stopped == Stopped::steady);
  CHECK(much.samples > 64);
  CHECK(much.samples % 16 == 0);
  // The standard deviation of a uniform distribution.
  CHECK(much.noise == Approx(0.2 / std::sqrt(3)).epsilon(0.15));
  CHECK(much.mean == Approx(1e-3).epsilon(0.05));
}

TEST_CASE("stopping rule: a series that drifts is neither quiet nor steady") {
  const Ended drifting = run({.least_seconds = 0, .timeout = 1}, [](int n) { return 1e-3 * (1 + 0.01 * n); });
  CHECK(drifting.stopped == Stopped::timeout);
  CHECK(drifting.noise > 0.05);
}

TEST_CASE("stopping rule: too few samples in time are a timeout, however quiet") {
  const Ended few = run({.timeout = 15}, [](int) { return 1.0; });
  CHECK(few.stopped == Stopped::timeout);
  CHECK(few.samples == 8);
  CHECK(to_string(few.stopped) == "timeout");
}

TEST_CASE("stopping rule: one outlier keeps a short series from being quiet") {
  const auto spoilt = [](int n) { return n == 7 ? 2e-3 : 1e-3; };
  const Ended ended = run({.least_seconds = 0}, spoilt);
  CHECK(ended.samples > 10);
}
