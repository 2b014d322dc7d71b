#pragma once
// The cycle model against published measurements (data/calibration): micro-kernels and GEMMs of
// calibration, run and modelled on the embedded device. What is marked `fit` has set constants of the
// model, what is `check` has not: only the errors of the latter say how far it can be trusted.

#include "harness/perf/measured_launch.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

struct CalibrationRow {
  std::string heading; // "TFLOP/s by size"
  std::string kernel, what;
  double published = 0, modelled = 0;
  std::optional<double> sampled = {}; // GEMMs: modelled from few workgroups, each alone, as `perf` does
  struct Ends {
    double low, high;
  };
  std::optional<Ends> laws =
      {}; // of `modelled`, over the laws of the clock that the data allow (clock_law.hpp)
  bool fit = false;
  bool judged = true; // false: small GEMMs, reported only
};

struct Calibration {
  std::vector<CalibrationRow> rows;
  std::vector<MeasuredLaunch> launches;        // of GEMMs by size: what the clock's law is fitted to
  std::optional<double> fitted_byte_beyond_l2; // as byte_beyond_l2 of clock_law.hpp; none if no order was run
  struct Error {
    double chiplet, sampled; // mean absolute ones
    int rows;
  };
  std::optional<Error> error() const; // of GEMM rows that are judged and not fitted; none of no row
};

// `largest`: of GEMM sizes. `assumptions`: of GEMMs.
Calibration calibrate(int largest, const std::vector<std::string>& assumptions = {});

inline const std::vector<MeasuredLaunch>& measured_launches(const Calibration& calibration) {
  return calibration.launches;
}

void print(const Calibration& calibration, std::FILE* out);

} // namespace fmha950::harness
