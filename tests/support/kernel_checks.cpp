#include "tests/support/kernel_checks.hpp"

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/case_selection.hpp"
#include "harness/device/device_case.hpp"
#include "harness/device/variation.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/mutation/subject.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/mutants.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <regex>
#include <set>

namespace fmha950::test {

void check_same_bits_under_every_schedule(const std::string& implementation, const std::string& case_string) {
  const Problem problem = parse_case(case_string);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseRun run(find_implementation(implementation), problem, tensors);
  const auto rows = harness::all_rows(problem);
  const auto expected = run.run({"eager", "", ""}, rows).rows;
  const auto cache = run.device().download_cache();
  for (const std::string& schedule : harness::mutation_schedules(8)) {
    CAPTURE(schedule);
    CHECK(run.run({schedule, "", ""}, rows).rows == expected);
    CHECK(run.device().download_cache() == cache);
  }
}

void check_mutants_differ(const std::string& implementation) {
  for (const harness::SourceMutant& mutant : mutants_of(implementation)) {
    CAPTURE(mutant.code_object, mutant.name);
    CHECK_FALSE(std::ranges::equal(hip::code_object(mutant.code_object), harness::code_of(mutant)));
  }
}

void check_mutants_killed(const std::string& implementation, size_t at_least, const std::string& probes,
                          std::string_view op) {
  auto all = mutants_of(implementation);
  std::erase_if(all, [&](const harness::SourceMutant& mutant) { return !op.empty() && mutant.op != op; });
  CHECK(all.size() >= at_least);
  harness::SourceJudge judge(harness::select_probes(harness::all_probes(), probes),
                             harness::mutation_schedules(2));
  for (const harness::SourceMutant& mutant : all) {
    const harness::Judgement judgement = judge.judge(mutant).judgement;
    INFO(mutant.code_object << ", " << mutant.name << ": " << judgement.reason);
    CHECK(judgement.verdict == harness::MutantVerdict::killed);
  }
  // As other tests expect it.
  harness::apply({.schedule = "eager", .threads = "", .mfma = "", .check = "none"});
}

void check_kernels_are_subjects(std::string_view code_objects, size_t kernels) {
  std::set<std::string> subjects;
  for (const auto& subject : harness::implementation_subjects()) subjects.insert(subject->name());
  const auto all = kernels_starting(code_objects);
  CHECK(all.size() == kernels);
  for (const auto& [code_object, kernel] : all) {
    CAPTURE(code_object, kernel);
    CHECK(subjects.contains(code_object + "/" + kernel));
  }
}

void check_list_notices(const std::string& list, const std::string& filter, const std::string& implementation,
                        const std::string& mutant) {
  const auto cases = harness::read_case_list(list);
  const auto found = std::ranges::find_if(cases, [expression = std::regex(filter)](const std::string& text) {
    return std::regex_search(text, expression);
  });
  CAPTURE(filter, implementation, mutant);
  REQUIRE(found != cases.end());
  const Problem problem = parse_case(*found);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseOracle oracle(problem, tensors);
  const auto judged = [&] {
    harness::Record record;
    harness::judge_case(find_implementation(implementation), problem, tensors, {}, oracle, record);
    INFO(*found << ": " << record.outcome.reason());
    return record.outcome.kind();
  };
  CHECK(judged() == OutcomeKind::passed);
  const harness::SourceMutant made = mutant_named(implementation, mutant);
  const hip::CodeObjectOverride stands_in(made.code_object, harness::code_of(made));
  CHECK(judged() == OutcomeKind::inaccurate);
}

} // namespace fmha950::test
