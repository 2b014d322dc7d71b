#include "harness/cure/finding_cure.hpp"

#include <algorithm>

namespace fmha950::harness::cure {
namespace {

CuredFinding told(const Patient& patient, const Fault& fault, Cure cure) {
  CuredFinding finding;
  finding.kernel = patient.kernel().name;
  finding.report = fault.strongest();
  finding.option = changes(finding.kernel, "", cure.protections);
  if (cure.verdict == Cure::Verdict::cured)
    for (size_t problem = 1; problem < patient.problems(); ++problem)
      finding.held_on.push_back(patient.problem(problem));
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
