#include "harness/cure/younger_operations.hpp"

#include "harness/cure/need.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fmha950::harness::cure {
namespace {

enum class Counter : uint8_t { vmcnt, lgkmcnt };

// Which one counts the report's earlier side. Nothing: no wait is asked for.
std::optional<Counter> counter_of(const HazardReport& report) {
  const auto need = need_of(report);
  if (!need || need->kind == Need::Kind::states) return {};
  if (need->vmcnt != need->lgkmcnt) return need->vmcnt ? Counter::vmcnt : Counter::lgkmcnt;
  return report.earlier.find(": ds_") != report.earlier.npos ? Counter::lgkmcnt : Counter::vmcnt;
}

} // namespace

std::string YoungerOperations::too_few(const std::vector<Protection>& protections) {
  std::set<std::pair<CodePlace, Counter>> asked;
  for (const HazardReport& report : fault_.reports) {
    const auto counter = counter_of(report);
    if (!counter || !asked.insert({report.earlier_place, *counter}).second) continue;
    std::string first;
    bool is_waited_for = false;
    for (const Protection& protection : protections) {
      const std::optional<int> count = *counter == Counter::vmcnt ? protection.vmcnt : protection.lgkmcnt;
      if (!count) continue;
      const auto& found = reached(report.earlier_place, protection.at);
      if (!found) continue;
      const int younger = *counter == Counter::vmcnt ? found->vector_memory : found->lds;
      is_waited_for |= *count <= younger;
      if (first.empty() && *count > younger)
        first = fmt::format("of the operation at {} some way has but {} younger ones to the {} at {}",
                            report.earlier_place.text(), younger, protection.text(), protection.at.text());
    }
    if (!is_waited_for && !first.empty()) return first;
  }
  return {};
}

std::string YoungerOperations::why_not_looser(const std::vector<Protection>& protections) {
  for (size_t i = 0; i < protections.size(); ++i)
    for (const auto count : {&Protection::vmcnt, &Protection::lgkmcnt}) {
      std::vector<Protection> looser = protections;
      if (!(looser[i].*count)) continue;
      ++*(looser[i].*count);
      if (std::string why = too_few(looser); !why.empty()) return why;
    }
  return {};
}

const std::optional<Place>& YoungerOperations::reached(const CodePlace& earlier, const CodePlace& wait) {
  const auto [known, is_new] = known_.try_emplace({earlier, wait});
  if (!is_new) return known->second;
  if (!why_not_followed(patient_.kernel(), earlier).empty()) return known->second;
  const std::vector<Place> places = ways_between(patient_.kernel(), earlier, wait);
  if (const auto place = std::ranges::find(places, wait, &Place::at); place != places.end())
    known->second = *place;
  return known->second;
}

} // namespace fmha950::harness::cure
