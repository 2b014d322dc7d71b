#include "harness/perf/measure_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fmha950::harness {

namespace {

// nvbench's constants.
constexpr int fewest_for_noise = 5;
constexpr size_t noises_kept = 512, fewest_noises = 64;
constexpr int samples_between_looks = 16;
constexpr double steady_within = 0.05;

} // namespace

std::string_view to_string(Stopped stopped) {
  switch (stopped) {
  case Stopped::not_yet: return "not yet";
  case Stopped::quiet: return "quiet";
  case Stopped::steady: return "steady";
  case Stopped::timeout: return "timeout";
  }
  return "not yet";
}

void StoppingRule::add(double seconds) {
  ++samples_;
  const double distance = seconds - mean_;
  mean_ += distance / samples_;
  squares_ += distance * (seconds - mean_);
  if (!std::isfinite(noise())) return;
  noises_.push_back(noise());
  if (noises_.size() > noises_kept) noises_.pop_front();
}

double StoppingRule::noise() const {
  if (samples_ < fewest_for_noise) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares_ / samples_) / mean_;
}

bool StoppingRule::is_steady() const {
  if (noises_.size() <= fewest_noises || samples_ % samples_between_looks != 0) return false;
  const double now = noises_.back();
  double squares = 0;
  for (const double noise : noises_) squares += (noise - now) * (noise - now);
  return std::sqrt(squares / static_cast<double>(noises_.size())) < steady_within * now;
}

Stopped StoppingRule::after(double wall_seconds) const {
  if (samples_ >= limits_.least_samples && mean_ * samples_ > limits_.least_seconds) {
    if (noise() < limits_.noise) return Stopped::quiet;
    if (is_steady()) return Stopped::steady;
  }
  return wall_seconds > limits_.timeout ? Stopped::timeout : Stopped::not_yet;
}

MeasuredSeries measure_series(Sampler& sampler, const StoppingLimits& limits, double throttled_below) {
  constexpr double first_rest = 0.05, longest_rest = 0.5; // seconds, as nvbench
  StoppingRule rule(limits);
  MeasuredSeries series;
  double hertz = 0, rest = first_rest;
  bool clock_known = true;
  sampler.take(); // code and tables come to the GPU
  while (series.stopped == Stopped::not_yet) {
    const Sampler::Sample sample = sampler.take();
    if (sample.hertz && *sample.hertz < throttled_below) {
      ++series.throttled;
      sampler.rest(rest);
      rest = std::min(2 * rest, longest_rest);
    } else {
      rule.add(sample.seconds);
      clock_known &= sample.hertz.has_value();
      hertz += sample.hertz.value_or(0);
      rest = first_rest;
    }
    series.stopped = rule.after(sampler.wall_seconds());
  }
  series.runs = sampler.runs();
  series.samples = rule.samples();
  if (series.samples == 0) return series;
  series.seconds = rule.mean();
  series.noise = rule.noise();
  if (clock_known) series.hertz = hertz / series.samples;
  return series;
}

} // namespace fmha950::harness
