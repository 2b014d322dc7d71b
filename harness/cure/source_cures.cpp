#include "harness/cure/source_cures.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/cure/in_parts.hpp"
#include "harness/cure/mutant_draw.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/probe_subject.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/error.hpp"
#include "numerics/digest.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>

namespace fmha950::harness::cure {
namespace {

constexpr size_t schedules_of_probes = 6; // as of mutants

std::string name_of_mutant(const SourceMutant& mutant) { return mutant.code_object + "/" + mutant.name; }

// Implementations with source mutants that the ledger has.
std::set<std::string> pages_of_sources() {
  const std::set<std::string> mutated = mutated_implementations();
  std::set<std::string> pages;
  for (const LedgerRow& row : ledger_rows(ledger_folders()))
    if (mutated.contains(row.page)) pages.insert(row.page);
  return pages;
}

// The probe that killed each, by "implementation code object/name".
std::map<std::string, std::string> killing_probes(const std::set<std::string>& pages) {
  std::map<std::string, std::string> probes;
  for (const std::string& page : pages)
    for (const LedgerEntry& entry : ledger_page(page, ledger_folders()).entries)
      if (entry.subject == page && entry.judgement.verdict == MutantVerdict::killed)
        probes[page + " " + entry.source.substr(0, entry.source.find(':')) + "/" + entry.mutant] =
            entry.judgement.problem;
  return probes;
}

struct Killed {
  SourceMutant mutant;
  std::string probe;
};

// By "implementation code object/name".
std::map<std::string, Killed> killed_source_mutants(const std::string& filter_text) {
  const NameFilter filter(filter_text);
  const std::set<std::string> pages = pages_of_sources();
  const auto probes = killing_probes(pages);
  const std::set<std::string> of_order = order_protections();
  std::map<std::string, Killed> killed;
  for (const SourceMutant& mutant : source_mutants(mutant_folder(), pages)) {
    const std::string name = mutant.implementation + " " + name_of_mutant(mutant);
    const auto probe = probes.find(name);
    const bool is_of_order =
        of_order.contains(mutant.name) || of_order.contains(name_of_mutant(mutant)); // everywhere, or there
    if (probe != probes.end() && !is_of_order && filter.finds(name))
      killed.emplace(name, Killed{mutant, probe->second});
  }
  return killed;
}

// Names of the kernels that a run launches; a fault ends it.
std::set<std::string> kernels_launched(Subject& subject) {
  std::set<std::string> names;
  const hip::LaunchWatch watch([&](size_t, const hip::Kernel& kernel) { names.insert(kernel.name); });
  try {
    subject.run(0);
  } catch (const DeviceError&) {
    clear_fault();
    subject.renew();
  }
  return names;
}

// Nothing for a kernel of another code object.
std::optional<hip::Kernel> kernel_in(const std::string& code_object, const std::string& name) {
  try {
    return hip::load_kernel(code_object, name);
  } catch (const DeviceError&) {
    return {};
  }
}

void take(MutantCure& of, const Cure& cure, const Patient& patient) {
  const bool no_order = cure.verdict == Cure::Verdict::no_order;
  of.verdict = no_order ? no_order_fault : name_of(cure.verdict);
  of.change = changes(patient.kernel().name, "", cure.protections);
  of.places = changes_in(cure.protections);
  of.pairs = cure.pairs;
  of.ordered = cure.ordered;
  of.objection = first_line(cure.proof.objection);
}

void judge_values(MutantCure& of, Patient& patient, const Condition& condition) {
  const Observation& seen = patient.observe(condition, "", Trust::all);
  const std::string wrong = seen.fault.empty() ? patient.wrong(condition, "", seen.outputs) : seen.fault;
  if (!wrong.empty()) of.verdict = no_order_fault;
  of.objection = first_line(wrong);
}

MutantCure line_of(const SourceMutant& mutant) {
  numerics::Digest digest;
  digest.add(code_of(mutant));
  MutantCure line;
  line.subject = mutant.implementation;
  line.mutant = name_of_mutant(mutant);
  line.code = digest.text();
  return line;
}

std::string judge_share(const std::vector<MutantCure>& some, const std::map<std::string, Killed>& killed,
                        const SearchLimits& limits, const WorkerShare& share) {
  std::map<std::string, Probe> probes;
  for (Probe& probe : all_probes()) probes.emplace(probe.name, probe);
  std::string lines;
  for (size_t i = share.worker; i < some.size(); i += share.count) {
    const Killed& of = killed.at(some[i].subject + " " + some[i].mutant);
    lines += to_line(cure_source_mutant(of.mutant, probes.at(of.probe), limits)) + "\n";
    share.did_one();
  }
  return lines;
}

} // namespace

// In the first of its kernels that has a finding of severity error, else by its values.
MutantCure cure_source_mutant(const SourceMutant& mutant, const Probe& probe, const SearchLimits& limits) {
  MutantCure of = line_of(mutant);
  set_judging_options(budget_of_probes);
  std::vector<Condition> conditions;
  for (const std::string& schedule : mutation_schedules(schedules_of_probes))
    conditions.push_back({schedule, 0});
  const hip::CodeObjectOverride stands_in(mutant.code_object, code_of(mutant));
  const auto subject = probe_subject(find_implementation(mutant.implementation), probe);
  of.verdict = "no error";
  for (const std::string& name : kernels_launched(*subject)) {
    const auto kernel = kernel_in(mutant.code_object, name);
    if (!kernel) continue;
    SubjectPatient patient(*subject, *kernel, "");
    const Fault fault = fault_of(patient, conditions);
    if (fault.errors.empty())
      judge_values(of, patient, conditions.front());
    else
      take(of, find_cure(patient, fault, limits), patient);
    of.executions += patient.executions();
    if (of.verdict != "no error") break;
  }
  return of;
}

std::set<std::string> order_protections() {
  std::set<std::string> names;
  std::ifstream file(workload::data_file("cures/order_protections.txt"));
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') names.insert(line);
  return names;
}

std::vector<MutantCure> cure_source_mutants(const MutantCureOptions& options,
                                            const std::vector<MutantCure>& known) {
  require_mutants();
  const std::map<std::string, Killed> killed = killed_source_mutants(options.filter);
  std::vector<MutantCure> all;
  for (const auto& [name, of] : killed) all.push_back(line_of(of.mutant));
  take_drawn(all, options.most);
  const auto judge = [&](const std::vector<MutantCure>& some, const WorkerShare& share) {
    return judge_share(some, killed, options.limits, share);
  };
  return judged_in_parts(all, known, "cures of source mutants", judge, from_line, options.done);
}

} // namespace fmha950::harness::cure
