#pragma once
// The kernels of kernels.hip, or of another code object, as subjects.

#include "harness/cure/search.hpp"
#include "harness/cure/ways.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/corpus.hpp"
#include "harness/mutation/isa_mutants.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace fmha950::harness::cure {

inline Words counted(const CorpusProblem& problem) {
  Words words(problem.n);
  std::iota(words.begin(), words.end(), 1u);
  return words;
}
inline Words plus_one(const Words& in, const CorpusProblem&) {
  Words out(in.begin(), in.begin() + 64);
  for (uint32_t& word : out) ++word;
  return out;
}
inline Words pair_plus_one(const Words& in, const CorpusProblem&) {
  Words out(64);
  for (size_t i = 0; i < 64; ++i) out[i] = in[i] + in[i + 64] + 1;
  return out;
}
inline Words summed(const Words& in, const CorpusProblem& problem) {
  Words out(128);
  for (size_t turn = 0; turn < problem.n; turn += 128)
    for (size_t i = 0; i < 128; ++i) out[i] += in[turn + i];
  return out;
}
inline Words summed_reversed(const Words& in, const CorpusProblem& problem) {
  Words out(128);
  for (size_t turn = 0; turn < problem.n; turn += 128)
    for (size_t i = 0; i < 128; ++i) out[i] += in[turn + 127 - i];
  return out;
}

using Expected = Words (*)(const Words& in, const CorpusProblem&);
inline CorpusKernel kernel_of(const char* code_object, const char* name, uint32_t threads,
                              std::vector<CorpusProblem> problems, Expected expected) {
  CorpusKernel kernel;
  kernel.name = name;
  kernel.code_object = code_object;
  kernel.threads = threads;
  kernel.input = counted;
  kernel.expected = expected;
  kernel.problems = std::move(problems);
  return kernel;
}

// A subject and its patient, under the given schedules on the first problem and the first schedule on all others.
struct TestPatient {
  explicit TestPatient(CorpusKernel kernel, const std::string& base = "",
                       const std::vector<std::string>& schedules = {"eager", "lazy", "timed",
                                                                    "random:1,random:1"})
      : subject(corpus_subject(std::move(kernel))), patient(*subject, subject->kernel(), base) {
    set_judging_options(isa_budget);
    for (const std::string& schedule : schedules) conditions.push_back({schedule, 0});
    for (size_t problem = 1; problem < subject->problems(); ++problem)
      conditions.push_back({schedules.front(), problem});
  }
  Fault fault() { return fault_of(patient, conditions); }
  Cure cure(const SearchLimits& limits = {}) {
    const Fault of = fault();
    return find_cure(patient, of, limits);
  }

  std::unique_ptr<Subject> subject;
  SubjectPatient patient;
  std::vector<Condition> conditions;
};

// What is reported, without the offsets, which the patch moves.
inline std::multiset<std::string> classes_of(const Observation& seen) {
  std::multiset<std::string> classes;
  for (const HazardReport& report : seen.reports)
    classes.insert(report.hazard + " " + report.severity + " " + std::to_string(report.count) + " " +
                   report.missing);
  return classes;
}

} // namespace fmha950::harness::cure
