#pragma once
// When a series of measured times is long enough: nvbench's criterion `stdrel` (NVIDIA/nvbench,
// nvbench/detail/stdrel_criterion.cxx), with its limits.

#include <deque>
#include <string_view>

namespace fmha950::harness {

struct StoppingLimits {
  double noise = 0.005;       // relative standard deviation of the samples
  double least_seconds = 0.5; // of all samples together
  double timeout = 15;        // seconds of wall time, with all that is not measured
  int least_samples = 10;
};

// `quiet`: the noise is below its limit. `steady`: it is above, but has not changed for a while, so that more
// samples would not help. `timeout`: neither came in time.
enum class Stopped { not_yet, quiet, steady, timeout };
std::string_view to_string(Stopped stopped);

class StoppingRule {
 public:
  explicit StoppingRule(const StoppingLimits& limits) : limits_(limits) {}
  void add(double seconds);
  Stopped after(double wall_seconds) const; // since the series began

  int samples() const { return samples_; }
  double mean() const { return mean_; }
  double noise() const; // infinite before there are five samples

 private:
  bool is_steady() const;

  StoppingLimits limits_;
  int samples_ = 0;
  double mean_ = 0, squares_ = 0; // squares: of the distances from the mean (Welford)
  std::deque<double> noises_;     // after each of the latest samples
};

} // namespace fmha950::harness
