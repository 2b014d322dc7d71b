// Kernels of the corpus as subjects.
#include "harness/mutation/corpus.hpp"
#include "harness/mutation/subject.hpp"

#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

class CorpusSubject final : public Subject {
 public:
  explicit CorpusSubject(CorpusKernel kernel) : kernel_(std::move(kernel)) {}
  std::string name() const override { return kernel_.code_object + "/" + kernel_.name; }
  hip::Kernel kernel() const override { return hip::load_kernel(kernel_.code_object, kernel_.name); }
  size_t problems() const override { return kernel_.problems.size(); }
  std::string problem(size_t index) const override {
    return fmt::format("n={}/groups={}", kernel_.problems[index].n, kernel_.problems[index].groups);
  }
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
  CorpusKernel kernel_;
  std::vector<CorpusRun> runs_;
};

} // namespace

std::vector<std::unique_ptr<Subject>> corpus_subjects() {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (CorpusKernel& kernel : corpus())
    if (kernel.verdict == "clean") subjects.push_back(std::make_unique<CorpusSubject>(std::move(kernel)));
  return subjects;
}

} // namespace fmha950::harness
