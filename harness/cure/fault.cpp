#include "harness/cure/fault.hpp"

#include "numerics/groups.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

std::string cause_of(const HazardReport& report) {
  return nlohmann::json::parse(report.json).value("cause", "");
}

// A fault with all that is seen, and no error of its own yet.
Fault observe_all(Patient& patient, const std::vector<Condition>& conditions) {
  Seen seen;
  Fault fault;
  for (const Condition& condition : conditions) {
    const auto [entry, is_new] =
        seen.emplace(condition, patient.observe(condition, patient.base(), Trust::all));
    fault.all.merge(entry->second.pairs());
    fault.all_errors.merge(entry->second.errors());
  }
  fault.seen = std::make_shared<const Seen>(std::move(seen));
  return fault;
}

void add(Fault& fault, const HazardReport& report) {
  if (fault.errors.insert(pair_of(report)).second) fault.reports.push_back(report);
}

template <class Visit>
void for_each_error(const Seen& seen, const std::vector<Condition>& conditions, Visit visit) {
  for (const Condition& condition : conditions)
    for (const HazardReport& report : seen.at(condition).reports)
      if (report.severity == "error" && !report.accepted) visit(condition, report);
}

} // namespace

std::set<Pair> Fault::errors_under(const Condition& condition) const {
  std::set<Pair> found;
  for (const Pair& pair : seen->at(condition).errors())
    if (errors.contains(pair)) found.insert(pair);
  return found;
}

std::vector<Condition> Fault::showing() const {
  std::vector<Condition> chosen;
  for (std::set<Pair> open = errors; !open.empty();) {
    const auto covers = [&](const auto& entry) {
      const std::set<Pair> here = errors_under(entry.first);
      return std::ranges::count_if(open, [&](const Pair& pair) { return here.contains(pair); });
    };
    const auto best = std::ranges::max_element(*seen, {}, covers);
    chosen.push_back(best->first);
    for (const Pair& pair : errors_under(best->first)) open.erase(pair);
  }
  return chosen;
}

const HazardReport& Fault::strongest() const {
  return *std::ranges::max_element(reports, {}, [](const HazardReport& report) {
    return std::pair(pair_of(report).is_order(), report.count);
  });
}

std::vector<Fault> faults_of(Patient& patient, const std::vector<Condition>& conditions) {
  const Fault empty = observe_all(patient, conditions);
  std::map<Pair, size_t> number; // in the order of their first sight
  for_each_error(*empty.seen, conditions, [&](const Condition&, const HazardReport& report) {
    number.try_emplace(pair_of(report), number.size());
  });
  // Pairs that have one cause under some condition have one under all.
  numerics::Groups groups(number.size());
  std::map<std::pair<Condition, std::string>, size_t> first_of; // by where it was seen and its cause
  for_each_error(*empty.seen, conditions, [&](const Condition& condition, const HazardReport& report) {
    const size_t pair = number.at(pair_of(report));
    groups.join(pair, first_of.try_emplace({condition, cause_of(report)}, pair).first->second);
  });
  std::map<size_t, Fault> faults; // by the first of their pairs
  for_each_error(*empty.seen, conditions, [&](const Condition&, const HazardReport& report) {
    add(faults.try_emplace(groups.of(number.at(pair_of(report))), empty).first->second, report);
  });
  std::vector<Fault> all;
  for (auto& [first, fault] : faults) all.push_back(std::move(fault));
  return all;
}

Fault fault_of(Patient& patient, const std::vector<Condition>& conditions) {
  Fault fault = observe_all(patient, conditions);
  fault.causes = faults_of(patient, conditions).size();
  for_each_error(*fault.seen, conditions,
                 [&](const Condition&, const HazardReport& report) { add(fault, report); });
  return fault;
}

} // namespace fmha950::harness::cure
