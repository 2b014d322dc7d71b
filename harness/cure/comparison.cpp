#include "harness/cure/comparison.hpp"

#include <fmt/format.h>

namespace fmha950::harness::cure {

Comparison::Comparison(Patient& patient, std::vector<Condition> conditions)
    : patient_(patient), conditions_(std::move(conditions)) {
  for (const Condition& condition : conditions_) {
    const Observation& seen = patient_.observe(condition, patient_.base(), Trust::all);
    ++runs_;
    if (unsound_.empty() && !seen.fault.empty()) unsound_ = named(condition, seen.fault);
    if (unsound_.empty() && (!seen.errors().empty() || !seen.elsewhere.empty()))
      unsound_ = named(condition, "there are findings of severity error: `cure` them first");
    known_.merge(seen.pairs());
    errors_.merge(seen.errors());
    outputs_[condition] = seen.outputs;
  }
}

std::string Comparison::named(const Condition& condition, const std::string& what) const {
  return fmt::format("{} ({}, {})", what, condition.schedule, patient_.problem(condition.problem));
}

std::string Comparison::difference(const std::string& changes) {
  std::set<size_t> judged; // problems
  for (const Condition& condition : conditions_) {
    const Observation& seen = patient_.observe(condition, changes, Trust::all);
    ++runs_;
    if (!seen.fault.empty()) return named(condition, seen.fault);
    for (const HazardReport& report : seen.reports) {
      const Pair pair = pair_of(report);
      if (!known_.contains(pair) || (report.severity == "error" && !errors_.contains(pair)))
        return named(condition,
                     fmt::format("new report: {} of {} and {}: {}", report.hazard,
                                 report.earlier_place.text(), report.later_place.text(), report.what));
    }
    if (!seen.elsewhere.empty()) return named(condition, "another kernel has a finding then");
    if (seen.outputs != outputs_.at(condition)) return named(condition, "other bits than the kernel's");
    if (!judged.insert(condition.problem).second) continue;
    if (const std::string wrong = patient_.wrong(condition, changes, seen.outputs); !wrong.empty())
      return named(condition, "wrong: " + wrong);
  }
  return {};
}

} // namespace fmha950::harness::cure
