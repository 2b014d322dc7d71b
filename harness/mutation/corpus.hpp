#pragma once
// The corpus: small kernels, each with one argument block {in, out, n}, inputs, an expectation computed on
// the host and a verdict. tests/corpus holds and registers them; docs/mutants.md says what they are for.

#include "interface/hip.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

using Words = std::vector<uint32_t>;

struct CorpusProblem {
  uint32_t n = 0; // the kernel's argument
  uint32_t workgroups = 1;
};

struct CorpusKernel {
  std::string name, code_object;
  uint32_t threads = 64;                                              // per workgroup
  Words (*input)(const CorpusProblem&) = nullptr;                     // uploaded to the front of `in`
  Words (*expected)(const Words& in, const CorpusProblem&) = nullptr; // `out`, which starts as zeros
  std::vector<CorpusProblem> problems;
  std::string verdict;        // "clean", or the hazard that has to be reported
  double tolerance = 0;       // 0: bits. Else `out` holds floats, and this is their largest difference
  uint32_t never_written = 0; // words of `in` behind the input that nobody writes
  uint32_t output_words = 0;  // where there is no expectation
};

void register_corpus(std::span<const CorpusKernel> kernels);
std::vector<CorpusKernel> corpus(); // as registered

// One kernel's problem on the device; runs it as often as asked.
class CorpusRun {
 public:
  CorpusRun(const CorpusKernel& kernel, const CorpusProblem& problem);
  Words run(); // throws DeviceError
  // "" or which word differs from the host's expectation.
  std::string difference(const Words& out) const;
  const hip::Kernel& function() const { return function_; }

 private:
  const CorpusKernel& kernel_;
  CorpusProblem problem_;
  Words expected_;
  size_t output_words_;
  hip::Kernel function_;
  hip::Buffer in_, out_;
};

} // namespace fmha950::harness
