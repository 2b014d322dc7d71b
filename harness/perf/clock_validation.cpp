#include "harness/perf/clock_validation.hpp"

#include "harness/perf/clock_data.hpp"

#include <fmt/format.h>
#include <map>

namespace fmha950::harness {

namespace {

struct Limit {
  const char* what;
  Errors errors;
  double absolute; // most, of the mean
};

ClockData without(const ClockData& data, const Key& key, const std::string& value) {
  ClockData others = data;
  for (auto* launches : {&others.loaded, &others.small})
    std::erase_if(*launches, [&](const MeasuredLaunch& launch) { return key(launch) == value; });
  return others;
}

} // namespace

std::string family_of(const MeasuredLaunch& launch) {
  return launch.series.substr(0, launch.series.find('-'));
}

std::string series_of(const MeasuredLaunch& launch) { return launch.series; }

std::string row_of(const MeasuredLaunch& launch) {
  return fmt::format("{} {}", launch.series, launch.length);
}

bool is_attention(const MeasuredLaunch& launch) { return launch.series.starts_with("d"); }

std::vector<LeftOut> left_out(const ClockData& data, const Key& key, double power,
                              const std::vector<ClockTerm>& terms) {
  std::map<std::string, ClockLaw> laws;
  std::vector<LeftOut> rows;
  for (const MeasuredLaunch& launch : data.loaded) {
    const auto [law, is_new] = laws.try_emplace(key(launch));
    if (is_new) law->second = fitted({.power = power}, terms, without(data, key, law->first).loaded);
    rows.push_back({&launch, law->second, error_of(law->second, launch)});
  }
  return rows;
}

std::vector<LeftOut> seen_by(const ClockLaw& law, const std::vector<MeasuredLaunch>& launches) {
  std::vector<LeftOut> rows;
  for (const MeasuredLaunch& launch : launches) rows.push_back({&launch, law, error_of(law, launch)});
  return rows;
}

std::vector<LeftOut> attention_left_out(const ClockData& measured) {
  struct Fit {
    double host_launch;
    ClockLaw law;
  };
  std::map<std::string, Fit> fits; // by the series that is left out
  std::vector<LeftOut> rows;
  for (const auto* launches : {&measured.small, &measured.loaded})
    for (const MeasuredLaunch& launch : *launches) {
      if (!is_attention(launch)) continue;
      const auto [fit, is_new] = fits.try_emplace(launch.series);
      if (is_new) {
        const ClockData others = without(measured, series_of, launch.series);
        fit->second.host_launch = fitted_host_launch(others);
        fit->second.law =
            fitted({}, loaded_terms, without_host_launch(others, fit->second.host_launch).loaded);
      }
      const auto& [host_launch, law] = fit->second;
      rows.push_back({&launch, law, whole_error_of(law, host_launch, launch)});
    }
  return rows;
}

std::vector<LeftOut> gemms_left_out(const ClockData& data) {
  std::vector<LeftOut> rows = left_out(data, row_of);
  std::erase_if(rows, [](const LeftOut& row) { return is_attention(*row.launch); });
  return rows;
}

std::vector<LeftOut> v3_left_out(const ClockData& data) {
  const ClockLaw law = fitted_law(data);
  std::vector<LeftOut> rows;
  for (const MeasuredLaunch& launch : data.v3) {
    std::vector<MeasuredLaunch> others = data.v3;
    std::erase_if(others, [&](const MeasuredLaunch& other) { return other.series == launch.series; });
    const ClockLaw of_others = fitted(law, {fp8_term}, others);
    rows.push_back({&launch, of_others, error_of(of_others, launch)});
  }
  return rows;
}

Errors errors_of(const std::vector<LeftOut>& rows, const std::function<bool(const MeasuredLaunch&)>& which) {
  Errors errors;
  for (const LeftOut& row : rows) {
    if (!which(*row.launch)) continue;
    errors.bias += row.error;
    errors.absolute += std::abs(row.error);
    errors.largest = std::max(errors.largest, std::abs(row.error));
    ++errors.rows;
  }
  errors.bias /= errors.rows;
  errors.absolute /= errors.rows;
  return errors;
}

std::vector<std::string> broken_limits(const ClockData& measured) {
  const ClockData data = without_host_launch(measured);
  const std::vector<LeftOut> attention = attention_left_out(measured);
  const std::vector<LeftOut> by_series = left_out(data, series_of), families = left_out(data, family_of);
  const auto family = [&](const char* name) {
    return errors_of(families, [=](const auto& launch) { return family_of(launch) == name; });
  };
  const Limit limits[] = {{"attention of 4,096 and more by groups", errors_of(by_series, is_attention), 0.03},
                          {"attention of all lengths by groups", errors_of(attention), 0.05},
                          {"family d128", family("d128"), 0.12},
                          {"family d64", family("d64"), 0.12},
                          {"V3 by quantisation", errors_of(v3_left_out(data)), 0.07}};
  std::vector<std::string> broken;
  for (const Limit& limit : limits)
    if (!(limit.errors.absolute <= limit.absolute))
      broken.push_back(fmt::format("{}, left out: {:.1f} %, must be at most {:.0f} %", limit.what,
                                   100 * limit.errors.absolute, 100 * limit.absolute));
  const double v3 = errors_of(seen_by(fitted_law(data), data.v3)).absolute;
  if (!(v3 <= 0.04)) broken.push_back(fmt::format("V3, fitted: {:.1f} %, must be at most 4 %", 100 * v3));
  // Each alone: without any GEMM the other rows cannot tell an idle clock from the VALU's work.
  for (const LeftOut& row : gemms_left_out(data))
    if (!(std::abs(row.error) <= 0.05))
      broken.push_back(
          fmt::format("{}, left out: {:.1f} %, must be at most 5 %", row_of(*row.launch), 100 * row.error));
  for (const LeftOut& row : attention)
    if (std::abs(row.error) > 0.10)
      broken.push_back(fmt::format("{} {}, left out: {:.1f} %, must be at most 10 %", row.launch->series,
                                   row.launch->length, 100 * row.error));
  return broken;
}

} // namespace fmha950::harness
