// Kernels of implementations as subjects, from data/mutants/kernels.txt.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/device/case_run.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/mutation/subject.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/data_directory.hpp"
#include "workload/generate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sstream>

namespace fmha950::harness {

namespace {

struct Case {
  explicit Case(const std::string& text)
      : problem(parse_case(text)), tensors(workload::make_tensors(problem)), rows(all_rows(problem)) {}
  Problem problem;
  Tensors tensors;
  std::vector<QueryRow> rows;
  std::optional<CaseRun> run;
};

class ImplementationSubject final : public Subject {
 public:
  ImplementationSubject(std::string implementation, std::string code_object, std::string kernel)
      : implementation_(std::move(implementation)), code_object_(std::move(code_object)),
        kernel_(std::move(kernel)) {}
  void add(const std::string& problem) { names_.push_back(problem); }
  std::string name() const override { return code_object_ + "/" + kernel_; }
  hip::Kernel kernel() const override { return hip::load_kernel(code_object_, kernel_); }
  size_t problems() const override { return names_.size(); }
  std::string problem(size_t index) const override { return names_[index]; }

  Outputs run(size_t problem) override {
    Case& item = case_of(problem);
    if (!item.run) item.run.emplace(find_implementation(implementation_), item.problem, item.tensors);
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
    judge_case(find_implementation(implementation_), item.problem, item.tensors, {}, oracle, record);
    return record.outcome.is_failure() ? record.outcome.reason() : "";
  }
  void renew() override {
    for (auto& item : cases_) item->run.reset();
  }

 private:
  Case& case_of(size_t problem) {
    while (cases_.size() <= problem) cases_.push_back(std::make_unique<Case>(names_[cases_.size()]));
    return *cases_[problem];
  }

  std::string implementation_, code_object_, kernel_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Case>> cases_;
};

} // namespace

std::vector<std::unique_ptr<Subject>> implementation_subjects() {
  std::vector<std::unique_ptr<Subject>> subjects;
  const auto path = workload::data_file("mutants/kernels.txt");
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string implementation, code_object, kernel, problem;
    if (!(fields >> implementation) || implementation[0] == '#') continue;
    if (!(fields >> code_object >> kernel >> problem))
      throw InvalidInput(path.string(), line, "must be implementation, code object, kernel, problem");
    if (subjects.empty() || subjects.back()->name() != code_object + "/" + kernel)
      subjects.push_back(std::make_unique<ImplementationSubject>(implementation, code_object, kernel));
    static_cast<ImplementationSubject&>(*subjects.back()).add(problem);
  }
  return subjects;
}

} // namespace fmha950::harness
