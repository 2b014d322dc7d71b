#include "harness/cure/finding_cure.hpp"

#include "harness/cure/allowance.hpp"
#include "harness/cure/need.hpp"
#include "harness/cure/ways.hpp"
#include "harness/cure/younger_operations.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace fmha950::harness::cure {
namespace {

// Both sides with their instructions, where the report had none.
HazardReport with_instructions(const Patient& patient, HazardReport report) {
  const auto add = [&](std::string& text, const CodePlace& at) {
    if (!text.ends_with(": ")) return;
    for (const Place& place : all_places(patient.kernel()))
      if (place.at == at) text = (text == ": " ? "" : text) + place.text;
  };
  add(report.earlier, report.earlier_place);
  add(report.later, report.later_place);
  return report;
}

// "s_waitcnt vmcnt(0) before +0x40, then the s_barrier at +0x58": what orders two waves now.
std::string chain_of(const Patient& patient, const HazardReport& report,
                     const std::vector<Protection>& protections) {
  std::string chain;
  for (const Protection& protection : protections) {
    chain += fmt::format("{}{} at {}", chain.empty() ? "" : "; ", protection.text(), protection.at.text());
    if (protection.barrier) chain += ", a meeting more of the waves that come there";
    const auto need = need_of(report);
    if (protection.barrier || !protection.waits() || !need || need->kind == Need::Kind::wait)
      continue; // of one wave
    if (protection.instruction.starts_with("s_barrier")) {
      chain += ", then the barrier before which it stands";
      continue;
    }
    const std::vector<Place> places = ways_between(patient.kernel(), protection.at, report.later_place);
    std::optional<Place> barrier;
    for (const Place& place : places)
      if (place.kind == "barrier" && place.on_every_way &&
          (!barrier || place.from_earlier < barrier->from_earlier))
        barrier = place;
    if (barrier) chain += fmt::format(", then the barrier at {}, the next on the way", barrier->at.text());
  }
  return chain;
}

// An atomic that gives back what was there, or that rounds: results may go by the order of waves. "" if there is none.
std::string ordered_atomic(const Patient& patient) {
  for (const Place& place : all_places(patient.kernel())) {
    const auto has = [&](const char* part) { return place.text.find(part) != place.text.npos; };
    const bool in_lds = place.text.starts_with("ds_");
    const bool gives_back = in_lds ? has("_rtn_") : has("_atomic_") && has(" sc0");
    const bool rounds = (in_lds || has("_atomic_")) &&
                        (has("_add_f") || has("_add_rtn_f") || has("_add_bf") || has("_add_rtn_bf"));
    if (gives_back || rounds) return fmt::format("{} at {}", place.text, place.at.text());
  }
  return {};
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
  finding.function = patient.kernel().function;
  finding.report = with_instructions(patient, fault.strongest());
  finding.option = changes(finding.kernel, "", cure.protections);
  if (cure.verdict == Cure::Verdict::cured) finding.held_on = held_on(patient, cure.proof);
  if (cure.proof.objection.starts_with(other_bits))
    if (const std::string atomic = ordered_atomic(patient); !atomic.empty())
      cure.proof.objection += ": results may go by the order of atomics: " + atomic;
  finding.chain = chain_of(patient, finding.report, cure.protections);
  if (cure.proof.outlives) finding.chain += std::string(finding.chain.empty() ? "" : "; ") + ended_waves;
  finding.cure = std::move(cure);
  return finding;
}

// Of a fault that is silent since other findings were cured: whether their changes order it, or have only hidden it.
Cure by_changes_before(Patient& patient, const Fault& fault, const std::vector<Protection>& adopted) {
  Cure cure;
  cure.pairs = fault.errors.size();
  cure.proof = prove(patient, fault, adopted);
  cure.ordered = cure.proof.ordered;
  cure.paths = PathCheck(patient).of(adopted);
  const std::string too_few = YoungerOperations(patient, fault).too_few(adopted);
  if (cure.proof.holds() && cure.paths.leaves(fault))
    cure.proof.objection = "silent by the changes above, but on some path: " + cure.paths.text();
  if (cure.proof.holds() && !too_few.empty())
    cure.proof.objection = "silent by the changes above, but " + too_few;
  cure.verdict = cure.proof.holds() ? Cure::Verdict::cured : Cure::Verdict::not_cured;
  return cure;
}

Cure silent_and_not_proven(const Fault& fault) {
  Cure cure;
  cure.pairs = fault.errors.size();
  cure.limited = true;
  cure.proof.objection =
      "with the changes above it is silent, and the limit is reached before this is proven";
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

// With the cures that are in force, and then with its own, too.
CuredFinding cured(Patient& patient, const std::vector<Condition>& conditions, const Fault& first,
                   const Allowance& allowance, size_t findings_left, const std::string& base,
                   std::vector<Protection>& adopted) {
  const std::optional<Fault> fault = adopted.empty() ? first : as_it_is_now(patient, conditions, first);
  if (!fault && allowance.is_spent()) return told(patient, first, silent_and_not_proven(first));
  const auto adopt = [&](const CuredFinding& finding) {
    const auto& protections = finding.cure.protections;
    adopted.insert(adopted.end(), protections.begin(), protections.end());
    patient.adopt(finding.option);
  };
  if (!fault) { // its proof doubts the cures in force; where they are not enough, it has to have one of its own
    const std::string with_adopted = patient.base();
    patient.set_base(base);
    Cure cure = by_changes_before(patient, first, adopted);
    if (cure.verdict != Cure::Verdict::cured) {
      Cure own = find_cure(patient, first, allowance.left(findings_left));
      if (own.verdict != Cure::Verdict::cured) own.proof.objection = cure.proof.objection;
      cure = std::move(own);
    }
    CuredFinding finding = told(patient, first, std::move(cure));
    patient.set_base(with_adopted);
    if (finding.cure.verdict == Cure::Verdict::cured && !finding.cure.protections.empty()) adopt(finding);
    return finding;
  }
  CuredFinding finding = told(patient, *fault, find_cure(patient, *fault, allowance.left(findings_left)));
  if (finding.cure.verdict == Cure::Verdict::cured) adopt(finding);
  return finding;
}

struct Open { // a finding that is not cured yet
  Fault fault;
  std::optional<CuredFinding> tried; // the best so far
};

bool may_be_cured(const CuredFinding& finding) {
  return finding.cure.verdict == Cure::Verdict::partly || finding.cure.verdict == Cure::Verdict::not_cured;
}

// Of two tries without a cure: the later one, unless a limit or an interruption cut it short.
CuredFinding better(std::optional<CuredFinding> before, CuredFinding now) {
  const bool was_cut = now.cure.limited || now.cure.interrupted;
  if (!before || !was_cut || now.cure.ordered > before->cure.ordered) return now;
  before->cure.limited = now.cure.limited;
  before->cure.interrupted = now.cure.interrupted;
  return std::move(*before);
}

} // namespace

bool is_interrupted(const std::vector<CuredFinding>& findings) {
  return std::ranges::any_of(findings, [](const CuredFinding& finding) { return finding.cure.interrupted; });
}

std::vector<CuredFinding> cure_findings(Patient& patient, const std::vector<Condition>& conditions,
                                        const SearchLimits& limits) {
  const std::string base = patient.base();
  std::vector<CuredFinding> findings;
  std::vector<Protection> adopted;
  std::vector<Open> open;
  for (Fault& fault : faults_of(patient, conditions)) open.push_back({std::move(fault), {}});
  const Allowance allowance(patient, limits);
  bool interrupted = false, goes_on = true; // once more is cured: where one faults, no other is proven
  while (goes_on && !interrupted) {
    std::vector<Open> again;
    const size_t adopted_before = adopted.size();
    for (size_t i = 0; i < open.size(); ++i) {
      Open& each = open[i];
      if (interrupted || (each.tried && allowance.is_spent())) { // what was found of it stands
        again.push_back(std::move(each));
        continue;
      }
      CuredFinding finding =
          cured(patient, conditions, each.fault, allowance, open.size() - i, base, adopted);
      finding.base = base;
      interrupted = finding.cure.interrupted;
      if (may_be_cured(finding))
        again.push_back({std::move(each.fault), better(std::move(each.tried), std::move(finding))});
      else
        findings.push_back(std::move(finding));
    }
    goes_on = adopted.size() > adopted_before && !again.empty();
    open = std::move(again);
  }
  for (Open& each : open)
    if (each.tried) findings.push_back(std::move(*each.tried));
  return findings;
}

} // namespace fmha950::harness::cure
