#include "harness/mutation/corpus.hpp"

#include "harness/mutation/subject.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

std::vector<CorpusKernel>& registered() {
  static std::vector<CorpusKernel> kernels;
  return kernels;
}

struct Arguments { // tests/corpus/corpus_kernel.hpp
  const void* in;
  void* out;
  uint32_t n;
};

} // namespace

void register_corpus(std::span<const CorpusKernel> kernels) {
  registered().insert(registered().end(), kernels.begin(), kernels.end());
}
std::vector<CorpusKernel> corpus() { return registered(); }

CorpusRun::CorpusRun(const CorpusKernel& kernel, const CorpusProblem& problem)
    : kernel_(kernel), problem_(problem), function_(hip::load_kernel(kernel.code_object, kernel.name)) {
  const Words in = kernel.input(problem);
  if (kernel.expected) expected_ = kernel.expected(in, problem);
  output_words_ = kernel.expected ? expected_.size() : kernel.output_words;
  in_ = hip::Buffer((in.size() + kernel.never_written) * sizeof(uint32_t));
  in_.upload(in.data(), in.size() * sizeof(uint32_t));
  out_ = hip::Buffer(output_words_ * sizeof(uint32_t));
}

Words CorpusRun::run() {
  out_.fill(0);
  const Arguments arguments{in_.get(), out_.get(), problem_.n};
  hip::launch(function_, {problem_.workgroups, 1, 1}, {kernel_.threads, 1, 1}, &arguments, sizeof arguments,
              nullptr);
  Words out(output_words_);
  out_.download(out.data(), out.size() * sizeof(uint32_t));
  return out;
}

std::string CorpusRun::difference(const Words& out) const {
  if (!kernel_.expected) return {};
  for (size_t i = 0; i < out.size(); ++i) {
    const float got = std::bit_cast<float>(out[i]), wanted = std::bit_cast<float>(expected_[i]);
    if (kernel_.tolerance > 0 ? !(std::abs(got - wanted) <= kernel_.tolerance) : out[i] != expected_[i])
      return fmt::format("out[{}] = {:#x} instead of {:#x}", i, out[i], expected_[i]);
  }
  return {};
}

namespace {

class CorpusSubject final : public Subject {
 public:
  explicit CorpusSubject(CorpusKernel kernel) : kernel_(std::move(kernel)) {}
  std::string name() const override { return kernel_.code_object + "/" + kernel_.name; }
  hip::Kernel kernel() const override { return hip::load_kernel(kernel_.code_object, kernel_.name); }
  size_t problems() const override { return kernel_.problems.size(); }
  std::string problem(size_t index) const override {
    return fmt::format("n={}/groups={}", kernel_.problems[index].n, kernel_.problems[index].workgroups);
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

std::unique_ptr<Subject> corpus_subject(CorpusKernel kernel) {
  return std::make_unique<CorpusSubject>(std::move(kernel));
}

std::vector<std::unique_ptr<Subject>> corpus_subjects() {
  std::vector<std::unique_ptr<Subject>> subjects;
  for (CorpusKernel& kernel : corpus())
    if (kernel.verdict == "clean") subjects.push_back(corpus_subject(std::move(kernel)));
  return subjects;
}

} // namespace fmha950::harness
