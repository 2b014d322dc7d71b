#pragma once
// The cycle model against published measurements (data/calibration): micro-kernels and GEMMs of
// bench/calibration, run and modelled on the embedded device. What is marked `fit` has set constants of the
// model, what is `check` has not: only the errors of the latter say how far it can be trusted.

#include <cstdio>
#include <string>
#include <vector>

namespace fmha950::harness {

struct CalibrationRow {
  std::string group; // "clocks of a step", "TFLOP/s by size", "TFLOP/s by schedule"
  std::string kernel, what;
  double published = 0, modelled = 0;
  bool fit = false;
  bool judged = true; // false: small GEMMs, reported only
  double error() const { return modelled / published - 1; }
};

// At `hertz`; 0: the clock that makes the fitted GEMMs agree, as geometric mean. `largest`: of GEMM sizes.
struct Calibration {
  double hertz = 0; // of matrix-bound kernels
  std::vector<CalibrationRow> rows;
  double mean_absolute_error() const; // of GEMM rows that are judged and not fitted
};
Calibration calibrate(int largest);

void print(const Calibration& calibration, std::FILE* out);

} // namespace fmha950::harness
