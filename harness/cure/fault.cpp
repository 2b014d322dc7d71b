#include "harness/cure/fault.hpp"

#include <algorithm>

namespace fmha950::harness::cure {

std::vector<Condition> Fault::showing() const {
  std::vector<Condition> chosen;
  for (std::set<Pair> open = errors; !open.empty();) {
    const auto covers = [&](const auto& entry) {
      const std::set<Pair> here = entry.second.errors();
      return std::ranges::count_if(open, [&](const Pair& pair) { return here.contains(pair); });
    };
    const auto best = std::ranges::max_element(seen, {}, covers);
    chosen.push_back(best->first);
    for (const Pair& pair : best->second.errors()) open.erase(pair);
  }
  return chosen;
}

Fault fault_of(Patient& patient, const std::vector<Condition>& conditions) {
  Fault fault;
  for (const Condition& condition : conditions) {
    Observation seen = patient.observe(condition, patient.base(), Trust::all);
    fault.all.merge(seen.pairs());
    for (const HazardReport& report : seen.reports)
      if (report.severity == "error" && fault.errors.insert(pair_of(report)).second)
        fault.reports.push_back(report);
    fault.seen.emplace(condition, std::move(seen));
  }
  return fault;
}

} // namespace fmha950::harness::cure
