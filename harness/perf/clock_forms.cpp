#include "harness/perf/clock_forms.hpp"

#include "harness/perf/clock_data.hpp"

#include <map>
#include <random>

namespace fmha950::harness {

namespace {

// By series of attention, the mean absolute error on rows that were left out with their series.
std::vector<double> errors_by_series(const ClockData& data, const ClockForm& form) {
  std::map<std::string, std::vector<double>> by_series;
  for (const LeftOut& row : left_out(data, series_of, form.power, form.terms))
    if (is_attention(*row.launch)) by_series[row.launch->series].push_back(std::abs(row.error));
  std::vector<double> means;
  for (const auto& [series, errors] : by_series)
    means.push_back(std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size()));
  return means;
}

// Part of draws in which the mean of `a` over as many series exceeds that of `b` by more than what a kernel's clocks change with
// where its buffers lie (docs/timing.md).
double part_larger(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr int draws = 10000;
  constexpr double noise = 0.001;
  std::mt19937 random(26);
  int larger = 0;
  for (int draw = 0; draw < draws; ++draw) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t series = random() % a.size();
      sum += a[series] - b[series];
    }
    larger += sum > noise * static_cast<double>(a.size());
  }
  return static_cast<double>(larger) / draws;
}

ClockData only(ClockData data, const std::string& v3_series) {
  std::erase_if(data.v3, [&](const MeasuredLaunch& launch) { return launch.series != v3_series; });
  return data;
}

ClockData without_family(ClockData data, const char* family) {
  std::erase_if(data.loaded, [&](const MeasuredLaunch& launch) { return family_of(launch) == family; });
  return data;
}

} // namespace

std::vector<ClockForm> clock_forms() {
  return {{"power as f", 1, loaded_terms},
          {"power as f^1.5", 1.5, loaded_terms},
          {"power as f^2", 2, loaded_terms},
          {"power as f^3", 3, loaded_terms},
          {"and LDS", 1, {idle_term, bf16_term, valu_term, lds_term}},
          {"and bytes beyond L2", 1, {idle_term, bf16_term, valu_term, mall_term}}};
}

FormErrors errors_of(const ClockData& data, const ClockForm& form, const ClockData& best) {
  FormErrors errors;
  errors.law = fitted({.power = form.power}, form.terms, data.loaded);
  errors.fitted = errors_of(seen_by(errors.law, data.loaded), is_attention);
  errors.left_out = errors_of(left_out(data, series_of, form.power, form.terms), is_attention);
  const std::vector<LeftOut> families = left_out(data, family_of, form.power, form.terms);
  const auto family = [&](const char* name) {
    return errors_of(families, [=](const MeasuredLaunch& launch) { return family_of(launch) == name; });
  };
  errors.d128 = family("d128");
  errors.d64 = family("d64");
  errors.gemm = family("gemm");
  constexpr double certain = 0.95;
  errors.ruled_out =
      part_larger(errors_by_series(data, form), errors_by_series(best, clock_forms().front())) >= certain;
  return errors;
}

std::vector<DrawnClock> gemms_by_attention(const ClockData& data) {
  std::map<std::string, std::vector<MeasuredLaunch>> by_series;
  std::vector<DrawnClock> gemms;
  for (const MeasuredLaunch& launch : data.loaded)
    if (is_attention(launch))
      by_series[launch.series].push_back(launch);
    else
      gemms.push_back({&launch, 0, 0, 0});
  std::vector<const std::vector<MeasuredLaunch>*> series;
  for (const auto& [name, launches] : by_series) series.push_back(&launches);
  constexpr size_t draws = 2000;
  std::mt19937 random(26);
  std::vector<std::vector<double>> clocks(gemms.size());
  for (size_t draw = 0; draw < draws; ++draw) {
    std::vector<MeasuredLaunch> drawn;
    for (size_t i = 0; i < series.size(); ++i) {
      const std::vector<MeasuredLaunch>& one = *series[random() % series.size()];
      drawn.insert(drawn.end(), one.begin(), one.end());
    }
    const ClockLaw law = fitted({}, loaded_terms, drawn);
    for (size_t i = 0; i < gemms.size(); ++i) clocks[i].push_back(law.nanoseconds(gemms[i].launch->shares));
  }
  for (size_t i = 0; i < gemms.size(); ++i) {
    std::ranges::sort(clocks[i]);
    gemms[i].low = clocks[i][draws * 25 / 1000];
    gemms[i].middle = clocks[i][draws / 2];
    gemms[i].high = clocks[i][draws * 975 / 1000];
  }
  return gemms;
}

std::vector<NamedLaw> other_laws(const ClockData& measured) {
  const ClockData data = without_host_launch(measured);
  std::vector<NamedLaw> laws;
  for (const char* family : {"d128", "d64", "gemm"})
    laws.push_back({std::string("without ") + family, fitted_law(without_family(data, family))});
  for (const char* series : {"V3-tensor", "V3-block"})
    laws.push_back({std::string("fp8 pass of ") + series + " alone", fitted_law(only(data, series))});
  laws.push_back({"fp8 GEMMs' matrix units least busy", fitted_law(data, 1, least_gemm_busy)});
  laws.push_back({"fp8 GEMMs' matrix units most busy", fitted_law(data, 1, most_gemm_busy)});
  laws.push_back(
      {"host's launch at its least", fitted_law(without_host_launch(measured, least_host_launch_seconds))});
  for (const ClockForm& form : clock_forms())
    if (form.power != 1 && !errors_of(data, form, data).ruled_out)
      laws.push_back({form.name, fitted_law(data, form.power)});
  return laws;
}

} // namespace fmha950::harness
