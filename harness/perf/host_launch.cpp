#include "harness/perf/host_launch.hpp"

#include <cmath>

namespace fmha950::harness {

ClockData without_host_launch(ClockData measured, double seconds) {
  for (auto* launches : {&measured.loaded, &measured.small, &measured.v3, &measured.modelled_fp8_gemms})
    for (MeasuredLaunch& launch : *launches)
      if (launch.synchronised) launch.seconds -= seconds;
  return measured;
}

double whole_error_of(const ClockLaw& law, double host_launch, const MeasuredLaunch& measured) {
  return (measured.seconds + dispatch_seconds) / (1e-9 * measured.clocks * law.nanoseconds(measured.shares) +
                                                  launch_seconds(measured.synchronised, host_launch)) -
         1;
}

double fitted_host_launch(const ClockData& measured) {
  const auto squares = [&](double seconds) {
    const ClockLaw law = fitted({}, loaded_terms, without_host_launch(measured, seconds).loaded);
    double sum = 0;
    for (const auto* launches : {&measured.loaded, &measured.small})
      for (const MeasuredLaunch& launch : *launches) sum += std::pow(whole_error_of(law, seconds, launch), 2);
    return sum;
  };
  // The shortest launch that was measured so: a bf16 GEMM of 1,024 in 15.4 us with its dispatch, 64 workgroups whose matrix
  // units alone need 8,192 clocks (docs/timing.md#short-runs).
  constexpr double most = 15.4e-6 - dispatch_seconds - 8192 / nominal_hertz, step = 1e-7;
  double best = 0, least = squares(best);
  for (double seconds = step; seconds <= most; seconds += step)
    if (const double sum = squares(seconds); sum < least) {
      least = sum;
      best = seconds;
    }
  return best;
}

} // namespace fmha950::harness
