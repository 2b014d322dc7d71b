#include "harness/perf/measured.hpp"

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

} // namespace fmha950::harness
