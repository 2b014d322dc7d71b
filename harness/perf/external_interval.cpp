#include "harness/perf/external_interval.hpp"

#include <algorithm>

namespace fmha950::harness {

SeriesLaws laws_for(const std::string& series, const std::vector<ExternalResult>& results) {
  SeriesLaws laws;
  laws.best = law_of(results, {series});
  std::set<std::string> fitted_to;
  for (const ExternalResult& result : results)
    if (result.row.fit && result.row.series != series) fitted_to.insert(result.row.series);
  for (const std::string& other : fitted_to) laws.others.push_back(law_of(results, {series, other}));
  if (fitted_to.empty())
    for (const OtherClockLaw& other : other_clock_laws) laws.others.push_back(other.law);
  for (const AssumedClockLaw& assumed : assumed_clock_laws) {
    const auto knows = [&](const ExternalResult& result) { return result.assumed.contains(assumed.words); };
    if (std::ranges::all_of(results, knows))
      laws.assumed.emplace_back(&assumed, law_of(results, {series}, &assumed));
  }
  return laws;
}

Range teraflops_of(const ExternalResult& result, const SeriesLaws& laws) {
  const auto speed = [&](const ClockLaw& law, const AssumedClockLaw* under) {
    return result.row.tflops * (1 + error_at(result, law, under));
  };
  const double best = speed(laws.best, nullptr);
  std::vector<double> speeds{best};
  for (const ClockLaw& law : laws.others) speeds.push_back(speed(law, nullptr));
  for (const auto& [assumed, law] : laws.assumed) speeds.push_back(speed(law, assumed));
  const auto [low, high] = std::ranges::minmax(speeds);
  const double wider = 1 + 2 * result.sampling_error.value_or(0);
  return {best, low / wider, high * wider, result.sampling_error.has_value()};
}

} // namespace fmha950::harness
