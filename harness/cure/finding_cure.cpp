#include "harness/cure/finding_cure.hpp"

#include "harness/cure/need.hpp"
#include "harness/cure/ways.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace fmha950::harness::cure {
namespace {

// Both sides with their instructions, where the report had none.
HazardReport with_instructions(const Patient& patient, HazardReport report) {
  const auto add = [&](std::string& text, uint64_t offset) {
    if (!text.ends_with(": ") || offset == in_no_kernel) return;
    for (const Place& place : ways_between(patient.kernel(), 0, 0))
      if (place.offset == offset) text = (text == ": " ? "" : text) + place.text;
  };
  add(report.earlier, report.earlier_offset);
  add(report.later, report.later_offset);
  return report;
}

// "s_waitcnt vmcnt(0) before +0x40, then the s_barrier at +0x58": what orders two waves now.
std::string chain_of(const Patient& patient, const HazardReport& report,
                     const std::vector<Protection>& protections) {
  std::string chain;
  for (const Protection& protection : protections) {
    chain += fmt::format("{}{} at +{:#x}", chain.empty() ? "" : "; ", protection.text(), protection.offset);
    if (protection.barrier) chain += ", a meeting more of the waves that come there";
    const auto need = need_of(report);
    if (protection.barrier || !protection.waits() || !need || need->kind == Need::Kind::wait)
      continue; // of one wave
    const std::vector<Place> places = ways_between(patient.kernel(), protection.offset, report.later_offset);
    std::optional<Place> barrier;
    for (const Place& place : places)
      if (place.kind == "barrier" && place.on_every_way &&
          (!barrier || place.from_earlier < barrier->from_earlier))
        barrier = place;
    if (barrier) chain += fmt::format(", then the barrier at +{:#x}, the next on the way", barrier->offset);
  }
  return chain;
}

// A further problem in which no run met any of the pairs says nothing of the cure.
std::vector<std::string> held_on(const Patient& patient, const Proof& proof) {
  std::vector<std::string> problems;
  for (size_t problem = 1; problem < patient.problems(); ++problem)
    problems.push_back(patient.problem(problem) +
                       (proof.not_reached.contains(problem) ? " (its pairs are not met there)" : ""));
  return problems;
}

CuredFinding told(const Patient& patient, const Fault& fault, Cure cure) {
  CuredFinding finding;
  finding.kernel = patient.kernel().name;
  finding.report = with_instructions(patient, fault.strongest());
  finding.option = changes(finding.kernel, "", cure.protections);
  if (cure.verdict == Cure::Verdict::cured) finding.held_on = held_on(patient, cure.proof);
  finding.chain = chain_of(patient, finding.report, cure.protections);
  if (cure.proof.outlives) finding.chain += "; waves that have ended do not come there, a note";
  finding.cure = std::move(cure);
  return finding;
}

// Of a fault that is silent since other findings were cured: whether their changes order it, or have only hidden it.
Cure by_changes_before(Patient& patient, const Fault& fault, const std::vector<Protection>& adopted) {
  Cure cure;
  cure.pairs = fault.errors.size();
  cure.proof = prove(patient, fault, adopted);
  cure.verdict = cure.proof.holds() ? Cure::Verdict::cured : Cure::Verdict::not_cured;
  cure.ordered = cure.proof.ordered;
  cure.paths = all_paths(patient, adopted);
  return cure;
}

// The fault as it is now, with cures of others in force; none: nothing of it is seen any more.
std::optional<Fault> as_it_is_now(Patient& patient, const std::vector<Condition>& conditions,
                                  const Fault& before) {
  std::optional<Fault> now;
  for (Fault& fault : faults_of(patient, conditions)) {
    const auto is_of_it = [&](const Pair& pair) { return before.errors.contains(pair); };
    if (!now && std::ranges::any_of(fault.errors, is_of_it)) now = std::move(fault);
  }
  return now;
}

} // namespace

std::vector<CuredFinding> cure_findings(Patient& patient, const std::vector<Condition>& conditions,
                                        const SearchLimits& limits) {
  const std::string base = patient.base();
  std::vector<CuredFinding> findings;
  std::vector<Protection> adopted;
  for (const Fault& first : faults_of(patient, conditions)) {
    const std::optional<Fault> fault = adopted.empty() ? first : as_it_is_now(patient, conditions, first);
    const std::string with_adopted = patient.base();
    if (!fault) patient.set_base(base);
    Cure cure = fault ? find_cure(patient, *fault, limits) : by_changes_before(patient, first, adopted);
    patient.set_base(with_adopted);
    const bool is_cured = cure.verdict == Cure::Verdict::cured;
    findings.push_back(told(patient, fault ? *fault : first, std::move(cure)));
    if (!fault || !is_cured) continue;
    const auto& protections = findings.back().cure.protections;
    adopted.insert(adopted.end(), protections.begin(), protections.end());
    patient.adopt(findings.back().option);
  }
  return findings;
}

} // namespace fmha950::harness::cure
