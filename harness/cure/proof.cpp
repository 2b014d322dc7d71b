#include "harness/cure/proof.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness::cure {
namespace {

std::string text_of(const Pair& pair) {
  return fmt::format("{} of +{:#x} and +{:#x}", pair.hazard, pair.one, pair.other);
}
std::string text_of(const Patient& patient, const Condition& condition) {
  return fmt::format(" ({}, {})", condition.schedule, patient.problem(condition.problem));
}

// Conditions under which values were surely right: memory took effect at once, and the bits are those of the cured kernel. If
// the fault is seen under none of these, those with the right bits; if under none of these either, all.
std::set<Condition> with_right_values(const Fault& fault, const std::map<Condition, Outputs>& right) {
  std::set<Condition> surely, with_right_bits, all;
  for (const auto& [condition, before] : *fault.seen) {
    if (fault.errors_under(condition).empty()) continue;
    all.insert(condition);
    if (!before.fault.empty() || before.outputs != right.at(condition)) continue;
    with_right_bits.insert(condition);
    if (condition.schedule.starts_with("eager")) surely.insert(condition);
  }
  return !surely.empty() ? surely : !with_right_bits.empty() ? with_right_bits : all;
}

// "", or what of a condition's pairs the doubted run did not meet. Elsewhere than with right values one is enough.
std::string not_met(const std::set<Pair>& pairs, const std::set<Pair>& met, bool right_values) {
  bool any = false;
  for (const Pair& pair : pairs) {
    if (!pair.is_order()) continue;
    if (met.contains(pair))
      any = true;
    else if (right_values)
      return text_of(pair);
  }
  return any || right_values ? "" : "any of its pairs";
}

} // namespace

Screen screen(Patient& patient, const Fault& fault, const std::vector<Protection>& protections,
              const std::vector<Condition>& conditions) {
  const std::string list = changes(patient.kernel().name, patient.base(), protections);
  Screen result;
  const auto object = [&](const std::string& what, const Condition& condition, bool diverges) {
    result.objection = what + text_of(patient, condition);
    result.left = fault.errors;
    result.diverges = diverges;
    return result;
  };
  for (const Condition& condition : conditions) {
    const Observation seen = patient.observe(condition, list, Trust::all);
    if (!seen.fault.empty()) return object(seen.fault, condition, false);
    for (const HazardReport& report : seen.reports) {
      const Pair pair = pair_of(report);
      if (fault.errors.contains(pair))
        result.left.insert(pair);
      else if (report.severity == "error" && fault.all.contains(pair))
        result.others = true;
      else if (!fault.all.contains(pair))
        return object("new report: " + text_of(pair), condition, report.hazard == "barrier_divergence");
    }
  }
  return result;
}

Proof prove(Patient& patient, const Fault& fault, const std::vector<Protection>& protections) {
  const std::string list = changes(patient.kernel().name, patient.base(), protections);
  Proof proof;
  const auto object = [&](std::string what, const Condition& condition) {
    proof.objection = std::move(what) + text_of(patient, condition);
    return proof;
  };
  std::map<Condition, std::set<Pair>> met;
  std::map<Condition, Outputs> right;
  std::map<size_t, Condition> first_of; // by problem
  bool others = false;
  for (const auto& [condition, before] : *fault.seen) {
    const Screen trusted = screen(patient, fault, protections, {condition});
    if (!trusted.objection.empty()) {
      proof.objection = trusted.objection;
      return proof;
    }
    if (!trusted.left.empty()) return object("still reported: " + text_of(*trusted.left.begin()), condition);
    others |= trusted.others;
    Observation doubted = patient.observe(condition, list, Trust::not_changes);
    proof.runs += 2;
    met[condition] = doubted.errors();
    right[condition] = std::move(doubted.outputs);
    const auto [first, is_first] = first_of.try_emplace(condition.problem, condition);
    if (!is_first && !others && right.at(first->second) != right.at(condition))
      return object("other bits than under another schedule", condition);
  }
  const std::set<Condition> right_values = with_right_values(fault, right);
  std::set<Pair> to_order;
  for (const auto& [condition, before] : *fault.seen) {
    const std::set<Pair> pairs = fault.errors_under(condition);
    if (pairs.empty()) continue;
    if (const std::string what = not_met(pairs, met.at(condition), right_values.contains(condition));
        !what.empty())
      return object("silent, but not ordered by the change: " + what, condition);
    if (right_values.contains(condition)) to_order.insert(pairs.begin(), pairs.end());
  }
  proof.consequences = fault.errors.size() - to_order.size();
  if (others) {
    proof.judged = "not judged: other findings are left";
    return proof;
  }
  for (const auto& [problem, condition] : first_of)
    if (const std::string wrong = patient.wrong(condition, list, right.at(condition)); !wrong.empty())
      return object("wrong: " + wrong, condition);
  proof.judged = fmt::format("right by {}, bits equal under all schedules", patient.judge());
  return proof;
}

} // namespace fmha950::harness::cure
