#include "harness/perf/measured.hpp"

#include "emulator/timing/latencies.hpp"
#include "interface/problem.hpp"

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

double matrix_flops_per_clock(const Problem& problem) {
  constexpr double simds = 4.0 * timing::chiplets * timing::cus_per_chiplet;
  constexpr double of_16_bits = 2.0 * 32 * 32 * 16 / (8 * 4), of_8_bits = 2.0 * 32 * 32 * 64 / (16 * 4);
  const bool small = element_bytes(problem.query_type) == 1 && element_bytes(problem.kv_type) == 1;
  return simds * (small ? of_8_bits : of_16_bits);
}

nlohmann::ordered_json to_json(const Measured& measured) {
  return {{"flops", measured.flops},
          {"nominal_hertz", measured.nominal_hertz},
          {"warm", to_json(measured, measured.warm)},
          {"cold", to_json(measured, measured.cold)}};
}

} // namespace fmha950::harness
