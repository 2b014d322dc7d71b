#include "harness/mutation/corpus.hpp"

#include <bit>
#include <cmath>
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
  hip::launch(function_, {problem_.groups, 1, 1}, {kernel_.threads, 1, 1}, &arguments, sizeof arguments,
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

} // namespace fmha950::harness
