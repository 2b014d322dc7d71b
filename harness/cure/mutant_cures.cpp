#include "harness/cure/mutant_cures.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/device_workers.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "numerics/digest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace fmha950::harness::cure {
namespace {

constexpr size_t schedules_of_proof = 6, problems_of_proof = 4;

// Classes that a wait, a barrier or wait states prevent. Divergence alone is another matter: a barrier is missing for one wave.
bool is_order(const std::string& reason) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"register_in_flight", "lds_order", "memory_order", "wait_states"},
      [&](const char* name) { return reason.starts_with(name); });
}

MutantCure named(const std::string& subject, const std::string& mutant) {
  MutantCure cure;
  cure.subject = subject;
  cure.mutant = mutant;
  return cure;
}

std::string digest_of_code(const std::string& subject) {
  numerics::Digest digest;
  digest.add(hip::code_object(subject.substr(0, subject.find('/'))));
  return digest.text();
}

std::string drawn(const MutantCure& cure) {
  numerics::Digest digest;
  digest.add(cure.subject + " " + cure.mutant);
  return digest.text();
}

std::vector<MutantCure> killed_by_order(const std::string& filter_text) {
  std::vector<MutantCure> all;
  const NameFilter filter(filter_text);
  for (const LedgerRow& row : ledger_rows(ledger_folders()))
    for (const LedgerEntry& entry : ledger_page(row.page, ledger_folders()).entries)
      if (entry.mutant.find("+0x") != entry.mutant.npos && entry.judgement.verdict == MutantVerdict::killed &&
          is_order(entry.judgement.reason) && filter.finds(entry.subject + " " + entry.mutant))
        all.push_back(named(entry.subject, entry.mutant));
  return all;
}

// Each mutant with the next of its kernel, in the order in which they are drawn.
std::vector<MutantCure> in_pairs(const std::vector<MutantCure>& drawn_ones) {
  std::map<std::string, std::string> waiting; // by subject
  std::vector<MutantCure> pairs;
  for (const MutantCure& cure : drawn_ones) {
    std::string& first = waiting[cure.subject];
    if (first.empty())
      first = cure.mutant;
    else
      pairs.push_back(named(cure.subject, std::exchange(first, "") + "," + cure.mutant));
  }
  return pairs;
}

std::vector<MutantCure> chosen(const MutantCureOptions& options) {
  std::vector<MutantCure> all = killed_by_order(options.filter);
  std::ranges::sort(all, {}, drawn);
  if (options.pairs) all = in_pairs(all);
  if (options.most > 0 && all.size() > options.most) all.resize(options.most);
  std::ranges::sort(all, {}, [](const MutantCure& cure) { // a worker has one kernel's problems at a time
    return std::tie(cure.subject, cure.mutant);
  });
  return all;
}

// The first problem that shows it, under all schedules; others under the first one.
std::vector<Condition> conditions_of(Patient& patient) {
  const auto schedules = mutation_schedules(schedules_of_proof);
  std::optional<size_t> shows;
  for (size_t problem = 0; problem < patient.problems() && !shows; ++problem)
    if (!patient.observe({schedules.front(), problem}, patient.base(), Trust::all).errors().empty())
      shows = problem;
  std::vector<Condition> conditions;
  if (!shows) return conditions;
  for (const std::string& schedule : schedules) conditions.push_back({schedule, *shows});
  for (size_t problem = 0;
       problem < patient.problems() && conditions.size() < schedules.size() + problems_of_proof - 1;
       ++problem)
    if (problem != *shows) conditions.push_back({schedules.front(), problem});
  return conditions;
}

void cure_one(Subject& subject, const SearchLimits& limits, MutantCure& of) {
  set_judging_options(isa_budget);
  SubjectPatient patient(subject, subject.kernel(), of.mutant);
  const std::vector<Condition> conditions = conditions_of(patient);
  if (conditions.empty()) {
    of.verdict = "no error";
    return;
  }
  const Fault fault = fault_of(patient, conditions);
  const Cure cure = find_cure(patient, fault, limits);
  of.verdict = cure.verdict == Cure::Verdict::no_order ? "not an order fault" : name_of(cure.verdict);
  of.change = changes(patient.kernel().name, "", cure.protections);
  of.places = cure.protections.size();
  of.pairs = cure.pairs;
  of.ordered = cure.ordered;
  of.executions = patient.executions();
  of.objection = first_line(cure.proof.objection);
  if (cure.verdict != Cure::Verdict::cured) return;
  of.clocks = patient.clocks(fault.showing().front().problem, ""); // as find_cure measures
  of.clocks_cured = cure.clocks_cured;
}

std::string work(const std::vector<MutantCure>& all, const SearchLimits& limits, const WorkerShare& share) {
  std::map<std::string, std::unique_ptr<Subject>> subjects;
  std::map<std::string, size_t> number; // of subjects
  auto made = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(made));
  for (auto& subject : made) subjects.emplace(subject->name(), std::move(subject));
  std::string lines;
  for (size_t i = share.worker; i < all.size(); i += share.count) {
    MutantCure cure = all[i];
    if (const auto subject = subjects.find(cure.subject); subject != subjects.end())
      cure_one(*subject->second, limits, cure);
    else
      cure.verdict = "not seen";
    lines += to_line(cure) + "\n";
    share.did_one();
  }
  return lines;
}

} // namespace

std::string MutantCure::kind() const {
  if (mutant.find(',') != mutant.npos) return "pair";
  const std::string change = mutant.substr(mutant.rfind(':') + 1);
  return change.substr(0, change.find_first_of("+-"));
}

std::vector<MutantCure> cure_mutants(const MutantCureOptions& options, const std::vector<MutantCure>& known) {
  require_mutants();
  std::vector<MutantCure> all = chosen(options), open, cures;
  std::map<std::string, std::string> code; // by subject
  for (MutantCure& each : all) {
    const auto [digest, is_new] = code.try_emplace(each.subject);
    if (is_new) digest->second = digest_of_code(each.subject);
    each.code = digest->second;
    const auto same = [&](const MutantCure& other) {
      return other.subject == each.subject && other.mutant == each.mutant && other.code == each.code;
    };
    if (const auto found = std::ranges::find_if(known, same); found != known.end())
      cures.push_back(*found);
    else
      open.push_back(each);
  }
  // In parts, so that what is done is kept.
  constexpr size_t part = 200;
  for (size_t begin = 0; begin < open.size(); begin += part) {
    const std::vector<MutantCure> some(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                       open.begin() +
                                           static_cast<std::ptrdiff_t>(std::min(begin + part, open.size())));
    const std::string what =
        fmt::format("cures of mutants {} to {} of {}", begin + 1, begin + some.size(), open.size());
    for (const std::string& line : lines_of_workers(some.size(), what, [&](const WorkerShare& share) {
           return work(some, options.limits, share);
         })) {
      cures.push_back(from_line(line));
      if (options.done) options.done(cures.back());
    }
  }
  return cures;
}

} // namespace fmha950::harness::cure
