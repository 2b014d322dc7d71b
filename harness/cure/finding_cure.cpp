#include "harness/cure/finding_cure.hpp"

#include "harness/cure/ways.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness::cure {
namespace {

// Both sides with their instructions, where the report had none.
HazardReport with_instructions(const Patient& patient, HazardReport report) {
  const auto add = [&](std::string& text, uint64_t offset) {
    if (!text.ends_with(": ")) return;
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
    if (protection.barrier || !protection.waits() || !report.hazard.ends_with("_order")) continue;
    const std::vector<Place> places = ways_between(patient.kernel(), protection.offset, report.later_offset);
    std::optional<Place> barrier;
    for (const Place& place : places)
      if (place.kind == "barrier" && (!barrier || place.from_earlier < barrier->from_earlier))
        barrier = place;
    // A wave that only waits for its own LDS DMA needs none.
    if (barrier) chain += fmt::format(", then the barrier at +{:#x}, the next on the way", barrier->offset);
  }
  return chain;
}

CuredFinding told(const Patient& patient, const Fault& fault, Cure cure) {
  CuredFinding finding;
  finding.kernel = patient.kernel().name;
  finding.report = with_instructions(patient, fault.strongest());
  finding.option = changes(finding.kernel, "", cure.protections);
  if (cure.verdict == Cure::Verdict::cured)
    for (size_t problem = 1; problem < patient.problems(); ++problem)
      finding.held_on.push_back(patient.problem(problem));
  finding.chain = chain_of(patient, finding.report, cure.protections);
  finding.cure = std::move(cure);
  return finding;
}

} // namespace

std::vector<CuredFinding> cure_findings(Patient& patient, const std::vector<Condition>& conditions,
                                        const SearchLimits& limits) {
  std::vector<CuredFinding> findings;
  std::set<Pair> given_up;
  for (;;) {
    const std::vector<Fault> faults = faults_of(patient, conditions);
    const auto open = std::ranges::find_if_not(
        faults, [&](const Fault& fault) { return std::ranges::includes(given_up, fault.errors); });
    if (open == faults.end()) return findings;
    findings.push_back(told(patient, *open, find_cure(patient, *open, limits)));
    if (findings.back().cure.verdict == Cure::Verdict::cured)
      patient.adopt(findings.back().option);
    else
      given_up.insert(open->errors.begin(), open->errors.end());
  }
}

} // namespace fmha950::harness::cure
