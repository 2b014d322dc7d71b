#include "harness/cure/case_cures.hpp"

#include "harness/device/embedded_device.hpp"
#include "harness/mutation/changed_case.hpp"
#include "harness/mutation/device_workers.hpp"
#include "harness/mutation/kernel_list.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace fmha950::harness::cure {
namespace {

constexpr const char* budget = "1073741824"; // instructions of a wave: the device's own
constexpr int key_tile = 64; // of our kernels; a case that differs by one has another number of them
constexpr size_t most_further_cases = 3;

struct Launched {
  std::vector<hip::Kernel> kernels; // in order
  std::map<Condition, Ran> runs;    // by which they were found
};

// Of all problems under a schedule. Throws InvalidInput where two kernels have one name: changes are told apart by it.
Launched launched_by(Subject& subject, const std::string& schedule) {
  Launched launched;
  take_hazards(); // of whoever was before
  for (size_t problem = 0; problem < subject.problems(); ++problem) {
    std::string other;
    const Condition condition{schedule, problem};
    {
      const hip::LaunchWatch watch([&](size_t, const hip::Kernel& kernel) {
        const auto known = std::ranges::find(launched.kernels, kernel.name, &hip::Kernel::name);
        if (known == launched.kernels.end())
          launched.kernels.push_back(kernel);
        else if (known->function != kernel.function)
          other = kernel.name;
      });
      launched.runs[condition] = run_of(subject, condition, "", no_doubt);
    }
    if (!other.empty())
      throw InvalidInput(problem == 0 ? "case" : "also", subject.problem(problem),
                         "must launch no other kernel of the name " + other + " than the cases before it");
  }
  return launched;
}

// The case itself under all schedules, others under the first.
std::vector<Condition> conditions_of(const Subject& subject, const std::vector<std::string>& schedules) {
  std::vector<Condition> conditions;
  for (const std::string& schedule : schedules) conditions.push_back({schedule, 0});
  for (size_t problem = 1; problem < subject.problems(); ++problem)
    conditions.push_back({schedules.front(), problem});
  return conditions;
}

// The case and further ones as a subject, and the kernels that they launch.
struct CaseKernels : Launched {
  CaseKernels(const Implementation& implementation, const std::string& text,
              const std::vector<std::string>& further, const std::string& schedule) {
    require_mutants();
    ListedKernel listed{std::string(implementation.name()), "", text, {text}};
    std::ranges::copy(further, std::back_inserter(listed.problems));
    subject = implementation_subject(listed);
    set_judging_options(budget);
    static_cast<Launched&>(*this) = launched_by(*subject, schedule);
  }
  // Runs that found the kernels are not made again: where there is no finding they would be a part of all.
  void tell(SubjectPatient& patient) const {
    if (!patient.base().empty()) return;
    for (const auto& [condition, ran] : runs) patient.learn(condition, ran);
  }
  std::unique_ptr<Subject> subject;
};

// The case with a number that its string names larger; "" if it names none of that key.
std::string with_more(const std::string& text, const std::string& key, int more) {
  CaseText changed(text);
  const std::string value = changed.value(key);
  int number = 0;
  const char* const end = value.data() + value.size();
  if (value.empty() || std::from_chars(value.data(), end, number).ptr != end) return "";
  changed.set(key, std::to_string(number + more));
  return changed.text();
}

} // namespace

std::vector<std::string> further_cases(const Implementation& implementation, const std::string& text) {
  const Problem problem = parse_case(text);
  const std::string own = print_case(problem);
  std::vector<std::string> cases;
  const auto add = [&](const std::string& text_of_other) {
    const auto other = cases.size() < most_further_cases ? valid(text_of_other) : std::nullopt;
    if (!other || !implementation.supports(*other)) return;
    const std::string name = print_case(*other);
    if (name != own && std::ranges::find(cases, name) == cases.end()) cases.push_back(name);
  };
  if (problem.trace) return cases; // its requests are not named in the case
  const auto add_changed = [&](auto change) {
    Problem other = problem;
    change(other);
    add(print_case(other));
  };
  const auto longer = [](int keys) {
    return [keys](Problem& other) {
      for (Request& request : other.requests) request.key_length += keys;
    };
  };
  add_changed(longer(key_tile));
  add_changed(longer(1));
  add_changed([](Problem& other) { other.causal = !other.causal; });
  add_changed(longer(key_tile + 1)); // of a tree, or a window to both sides, there is no other mask
  // Operators without requests.
  for (const auto& [key, more] : std::initializer_list<std::pair<std::string, int>>{
           {"chunk", key_tile}, {"chunk", 1}, {"parts", 1}, {"n", 1}, {"parts", 8}, {"chunk", key_tile + 1}})
    if (const std::string name = with_more(own, key, more); !name.empty()) add(name);
  return cases;
}

std::vector<CuredFinding> cure_case(const Implementation& implementation, const std::string& text,
                                    const CaseCureOptions& options) {
  CaseKernels launched(implementation, text, options.further, options.schedules.front());
  set_option("mutant", options.mutant); // refuses what is none
  set_option("mutant", "");
  const auto is_mutants = [&](const hip::Kernel& kernel) {
    return options.mutant.starts_with(kernel.name + "+0x");
  };
  if (!options.mutant.empty() && std::ranges::none_of(launched.kernels, is_mutants))
    throw InvalidInput("mutant", options.mutant, "must be of a kernel that the case launches");
  std::vector<CuredFinding> findings;
  for (const hip::Kernel& kernel : launched.kernels) {
    SubjectPatient patient(*launched.subject, kernel, is_mutants(kernel) ? options.mutant : "");
    launched.tell(patient);
    const Condition first{options.schedules.front(), 0};
    if (const std::string& fault = patient.observe(first, patient.base(), Trust::all).fault;
        !patient.base().empty() && is_refused_change(fault))
      throw InvalidInput("mutant", options.mutant, "must be changes that the kernel's code takes: " + fault);
    std::ranges::move(
        cure_findings(patient, conditions_of(*launched.subject, options.schedules), options.limits),
        std::back_inserter(findings));
    if (is_interrupted(findings)) break;
    // Nothing was found in any kernel: the runs for the others would be the same.
    if (findings.empty() && options.mutant.empty() && !patient.others_had_errors()) break;
  }
  return findings;
}

std::vector<TooStrongSet> too_strong_in_case(const Implementation& implementation, const std::string& text,
                                             const CaseStrengthOptions& options) {
  CaseKernels launched(implementation, text, options.further, options.schedules.front());
  std::vector<TooStrongSet> sets;
  for (const hip::Kernel& kernel : launched.kernels) {
    SubjectPatient patient(*launched.subject, kernel, "");
    launched.tell(patient);
    sets.push_back(
        find_too_strong(patient, conditions_of(*launched.subject, options.schedules), options.limits));
  }
  return sets;
}

} // namespace fmha950::harness::cure
