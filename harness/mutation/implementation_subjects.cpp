// Kernels of implementations as subjects.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/mutation/kernel_list.hpp"
#include "harness/mutation/subject.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include <optional>

namespace fmha950::harness {

namespace {

struct Case {
  explicit Case(const PlacedCase& of)
      : problem(parse_case(of.text)), tensors(workload::make_tensors(problem)), rows(all_rows(problem)) {
    tensors.pool_place = of.pools;
  }
  Problem problem;
  Tensors tensors;
  std::vector<QueryRow> rows;
  std::optional<CaseRun> run;
};

class ImplementationSubject final : public Subject {
 public:
  explicit ImplementationSubject(ListedKernel kernel) : listed_(std::move(kernel)) {}
  std::string name() const override { return listed_.name(); }
  hip::Kernel kernel() const override { return hip::load_kernel(listed_.code_object, listed_.kernel); }
  size_t problems() const override { return listed_.problems.size(); }
  std::string problem(size_t index) const override { return listed_.problems[index]; }

  Outputs run(size_t problem) override {
    Case& item = case_of(problem);
    if (!item.run) item.run.emplace(implementation(), item.problem, item.tensors);
    RowOutputs result = item.run->run({}, item.rows).rows;
    result.output.insert(result.output.end(), result.lse.begin(), result.lse.end());
    const auto cache = item.run->device().download_cache(); // of append_prefill, which writes to it
    result.output.insert(result.output.end(), cache.begin(), cache.end());
    return std::move(result.output);
  }
  // Runs it once more, with the options as they are: the accuracy rule wants more than the outputs.
  std::string wrong(size_t problem, const Outputs&) override {
    Case& item = case_of(problem);
    CaseOracle oracle(item.problem, item.tensors);
    Record record;
    judge_case(implementation(), item.problem, item.tensors, {}, oracle, record);
    return record.outcome.is_failure() ? record.outcome.reason() : "";
  }
  void renew() override {
    for (auto& item : cases_) item->run.reset();
  }

 private:
  const Implementation& implementation() const { return find_implementation(listed_.implementation); }
  Case& case_of(size_t problem) {
    while (cases_.size() <= problem)
      cases_.push_back(std::make_unique<Case>(placed_case(listed_.problems[cases_.size()])));
    return *cases_[problem];
  }

  ListedKernel listed_;
  std::vector<std::unique_ptr<Case>> cases_;
};

} // namespace

std::unique_ptr<Subject> implementation_subject(const ListedKernel& kernel) {
  return std::make_unique<ImplementationSubject>(kernel);
}

std::vector<std::unique_ptr<Subject>> implementation_subjects() {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const ListedKernel& kernel : all_kernels()) subjects.push_back(implementation_subject(kernel));
  return subjects;
}

} // namespace fmha950::harness
