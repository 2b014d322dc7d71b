#include "harness/perf/measure_run.hpp"

#include "harness/device/device_case.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/perf/event_sampler.hpp"
#include "harness/perf/matrix_peak.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

double nominal_clock() {
  constexpr int clock_rate = 5; // hipDeviceAttribute_t, in kHz; the same in HIP 5.2 to 7
  int kilohertz = 0;
  hip::check(hip::api().DeviceGetAttribute(&kilohertz, clock_rate, hip::runtime().ordinal),
             "hipDeviceGetAttribute");
  if (kilohertz <= 0)
    throw DeviceError(fmt::format("clock rate = {} kHz: the runtime must say one above 0", kilohertz));
  return 1e3 * kilohertz;
}

} // namespace

std::string MeasureOptions::arguments() const {
  const MeasureOptions defaults;
  std::string text;
  const auto add = [&](const char* name, double value, double by_default) {
    if (value != by_default) text += fmt::format(" {} {}", name, value);
  };
  add("--noise", limits.noise, defaults.limits.noise);
  add("--min-time", limits.least_seconds, defaults.limits.least_seconds);
  add("--timeout", limits.timeout, defaults.limits.timeout);
  add("--throttle", throttle, defaults.throttle);
  return text;
}

Measured measure_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                      const MeasureOptions& options) {
  if (hip::runtime().embedded)
    throw InvalidInput("device", hip::runtime().device, "only a GPU can be measured");
  const double nominal = nominal_clock();
  DeviceCase device(problem, tensors);
  const auto plan = implementation.plan(problem, tensors, device.tensors());
  const auto measure = [&](CacheFlush* flush) {
    EventSampler sampler(*plan, flush);
    return measure_series(sampler, options.limits, options.throttle * nominal);
  };
  CacheFlush flush;
  return {.flops = attention_flops(problem, tensors),
          .matrix_flops = matrix_flops_per_clock(problem) * nominal,
          .nominal_hertz = nominal,
          .warm = measure(nullptr),
          .cold = measure(&flush)};
}

} // namespace fmha950::harness
