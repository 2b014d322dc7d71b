#pragma once
// Takes samples until the stopping rule is content, and leaves out those during which the GPU was throttled.
// Knows nothing of HIP: what a sample is, a Sampler says.

#include <deque>
#include <optional>
#include <string_view>

namespace fmha950::harness {

// When a series of measured times is long enough: nvbench's criterion `stdrel` (NVIDIA/nvbench,
// nvbench/detail/stdrel_criterion.cxx), with its limits.
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

struct MeasuredSeries {
  int samples = 0, throttled = 0; // those that count, and those that were discarded
  int runs = 0;                   // of the case in a sample
  double seconds = 0;             // of one run, mean; 0 if every sample was throttled
  double noise = 0;               // relative standard deviation of the samples
  Stopped stopped = Stopped::not_yet;
  std::optional<double> hertz; // of the compute units while it was measured, mean; none where it is not known
};

class Sampler {
 public:
  struct Sample {
    double seconds = 0; // of one run
    std::optional<double> hertz;
  };
  virtual ~Sampler() = default;
  virtual Sample take() = 0;
  virtual int runs() const = 0;            // in a sample
  virtual double wall_seconds() const = 0; // since it was made
  virtual void rest(double seconds) = 0;   // lets the GPU cool down
};

// Below this many Hz a sample does not count: nvbench's rule. Its 75 % of the nominal clock would discard
// what a MI355X does under matrix load all the time (1,550 to 1,670 of 2,400 MHz under published GEMMs), hence the
// lower default of MeasureOptions.
MeasuredSeries measure_series(Sampler& sampler, const StoppingLimits& limits, double throttled_below);

} // namespace fmha950::harness
