#include "harness/perf/measured.hpp"

#include "harness/device/device_case.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/perf/event_sampler.hpp"
#include "harness/perf/reference_speeds.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

nlohmann::ordered_json to_json(const Measured& measured, const MeasuredSeries& series) {
  const bool any = series.samples > 0;
  const auto figure = [](bool known, double value) {
    return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"seconds", figure(any, series.seconds)},
          {"tflops", figure(any, any ? measured.teraflops(series) : 0)},
          {"of_matrix_peak", figure(any, any ? measured.of_peak(series) : 0)},
          {"noise", figure(any, series.noise)},
          {"samples", series.samples},
          {"runs_per_sample", series.runs},
          {"throttled", series.throttled},
          {"stopped", to_string(series.stopped)},
          {"hertz", figure(series.hertz.has_value(), series.hertz.value_or(0))}};
}

} // namespace

nlohmann::ordered_json to_json(const Measured& measured) {
  return {{"flops", measured.flops},
          {"nominal_hertz", measured.nominal_hertz},
          {"warm", to_json(measured, measured.warm)},
          {"cold", to_json(measured, measured.cold)}};
}

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
