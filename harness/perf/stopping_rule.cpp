#include "harness/perf/stopping_rule.hpp"

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

} // namespace fmha950::harness
