#pragma once
// The kernels of kernels.hip, or of another code object, as subjects.

#include "harness/cure/search.hpp"
#include "harness/cure/ways.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/corpus.hpp"
#include "harness/mutation/isa_mutants.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace fmha950::harness::cure {

using Expected = std::function<Words(const Words& in, const CorpusProblem&)>;

class TestSubject final : public Subject {
 public:
  TestSubject(std::string code_object, std::string name, uint32_t threads,
              std::vector<CorpusProblem> problems, Words (*expected)(const Words& in, const CorpusProblem&))
      : kernel_{.name = std::move(name),
                .code_object = std::move(code_object),
                .threads = threads,
                .input = counted,
                .expected = expected,
                .problems = std::move(problems),
                .verdict = "clean"} {
    set_judging_options(isa_budget);
  }
  std::string name() const override { return kernel_.name; }
  hip::Kernel kernel() const override { return hip::load_kernel(kernel_.code_object, kernel_.name); }
  size_t problems() const override { return kernel_.problems.size(); }
  std::string problem(size_t index) const override { return fmt::format("n={}", kernel_.problems[index].n); }
  Outputs run(size_t problem) override {
    if (runs_.empty())
      for (const CorpusProblem& each : kernel_.problems) runs_.emplace_back(kernel_, each);
    const Words words = runs_[problem].run();
    Outputs outputs(words.size() * sizeof(uint32_t));
    std::memcpy(outputs.data(), words.data(), outputs.size());
    return outputs;
  }
  std::string wrong(size_t problem, const Outputs& outputs) override {
    Words words(outputs.size() / sizeof(uint32_t));
    std::memcpy(words.data(), outputs.data(), outputs.size());
    return runs_[problem].difference(words);
  }
  void renew() override { runs_.clear(); }

 private:
  static Words counted(const CorpusProblem& problem) {
    Words words(problem.n);
    std::iota(words.begin(), words.end(), 1u);
    return words;
  }
  CorpusKernel kernel_;
  std::vector<CorpusRun> runs_;
};

// A subject and its patient, under the given schedules on the first problem and the first schedule on all others.
struct TestPatient {
  TestPatient(std::unique_ptr<TestSubject> of, const std::string& base = "",
              const std::vector<std::string>& schedules = {"eager", "lazy", "timed", "random:1,random:1"})
      : subject(std::move(of)), patient(*subject, subject->kernel(), base) {
    for (const std::string& schedule : schedules) conditions.push_back({schedule, 0});
    for (size_t problem = 1; problem < subject->problems(); ++problem)
      conditions.push_back({schedules.front(), problem});
  }
  Fault fault() { return fault_of(patient, conditions); }
  Cure cure(const SearchLimits& limits = {}) {
    const Fault of = fault();
    return find_cure(patient, of, limits);
  }
  // The offset of the only instruction with this text among those that may follow a pair's earlier side.
  uint64_t offset_of(const Fault& fault, const std::string& text) {
    const HazardReport& report = fault.reports.front();
    std::vector<uint64_t> found;
    for (const Place& place : ways_between(patient.kernel(), report.earlier_offset, report.later_offset))
      if (place.text.starts_with(text)) found.push_back(place.offset);
    INFO(text);
    REQUIRE(found.size() >= 1);
    return found.front();
  }

  std::unique_ptr<TestSubject> subject;
  SubjectPatient patient;
  std::vector<Condition> conditions;
};

} // namespace fmha950::harness::cure
