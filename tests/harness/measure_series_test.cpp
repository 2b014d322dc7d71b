#include "harness/perf/event_sampler.hpp"
#include "harness/perf/measure_series.hpp"

#include "tests/support/catch.hpp"

#include <functional>

using namespace fmha950::harness;

namespace {

constexpr double nominal = 2.4e9, threshold = 0.5 * nominal;

class FakeSampler final : public Sampler {
 public:
  explicit FakeSampler(std::function<Sample(int)> sample) : sample_(std::move(sample)) {}
  Sample take() override {
    const Sample sample = sample_(taken++);
    wall_ += sample.seconds;
    return sample;
  }
  int runs() const override { return 7; }
  double wall_seconds() const override { return wall_; }
  void rest(double seconds) override {
    rests.push_back(seconds);
    wall_ += seconds;
  }
  int taken = 0;
  std::vector<double> rests;

 private:
  std::function<Sample(int)> sample_;
  double wall_ = 0;
};

} // namespace

TEST_CASE("measured series: the first run does not count, and the clock is the samples' mean") {
  FakeSampler sampler([](int n) { return Sampler::Sample{n == 0 ? 9.0 : 0.1, n % 2 == 1 ? 2.0e9 : 2.2e9}; });
  const MeasuredSeries series = measure_series(sampler, {.least_seconds = 0.95}, threshold);
  CHECK(sampler.taken == 11);
  CHECK(series.samples == 10);
  CHECK(series.runs == 7);
  CHECK(series.seconds == Approx(0.1));
  CHECK(series.throttled == 0);
  CHECK(series.stopped == Stopped::quiet);
  REQUIRE(series.hertz);
  CHECK(*series.hertz == Approx(2.1e9));
}

TEST_CASE("measured series: throttled samples are discarded and the GPU rests, longer each time") {
  FakeSampler sampler([](int n) { // two in three at less than half of the clock, and slow
    const bool throttled = n % 3 != 0;
    return Sampler::Sample{throttled ? 0.3 : 0.1, throttled ? threshold - 1 : nominal};
  });
  const MeasuredSeries series = measure_series(sampler, {.least_seconds = 0}, threshold);
  CHECK(series.stopped == Stopped::quiet);
  CHECK(series.samples == 10);
  CHECK(series.throttled == 20);
  CHECK(series.seconds == Approx(0.1));
  CHECK(*series.hertz == Approx(nominal));
  REQUIRE(sampler.rests.size() == 20);
  CHECK(sampler.rests[0] == Approx(0.05));
  CHECK(sampler.rests[1] == Approx(0.1));
  CHECK(sampler.rests[2] == Approx(0.05)); // after a sample that counted
}

TEST_CASE("measured series: where every sample is throttled there is no time, only a count") {
  FakeSampler sampler([](int) { return Sampler::Sample{0.1, threshold / 2}; });
  const MeasuredSeries series = measure_series(sampler, {.timeout = 3}, threshold);
  CHECK(series.stopped == Stopped::timeout);
  CHECK(series.samples == 0);
  CHECK(series.throttled > 3);
  CHECK(series.seconds == 0);
  CHECK(!series.hertz);
  CHECK(sampler.rests.back() == Approx(0.5)); // the longest
}

TEST_CASE("measured series: with an unknown clock nothing is discarded, and none is reported") {
  FakeSampler sampler(
      [](int n) { return Sampler::Sample{0.1, n == 4 ? std::nullopt : std::optional(nominal)}; });
  const MeasuredSeries series = measure_series(sampler, {.least_seconds = 0}, threshold);
  CHECK(series.samples == 10);
  CHECK(!series.hertz);
}

TEST_CASE("clock: clocks of the compute unit over ticks of 100 MHz, of one chiplet") {
  const ClockStamp first{.clocks = 1000, .ticks = 50, .chiplet = 3};
  const auto after = [&](uint64_t clocks, uint64_t ticks, uint64_t chiplet) {
    return hertz_between(first, {first.clocks + clocks, first.ticks + ticks, chiplet});
  };
  CHECK(*after(24000, 1000, 3) == Approx(2.4e9));
  CHECK(*after(17630, 1000, 3) == Approx(1.763e9));
  CHECK(!after(24000, 1000, 4)); // another chiplet counts for itself
  CHECK(!after(0, 1000, 3));     // a counter that stands still
  CHECK(!after(240, 10, 3));     // too near each other
}
