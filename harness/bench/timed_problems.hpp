#pragma once
// Whole problems, to be timed again and again: attention on the embedded device, and its oracle with the audit.

#include "harness/bench/stopwatch.hpp"
#include "harness/device/device_case.hpp"
#include "interface/oracle.hpp"
#include "interface/tensors.hpp"

#include <string>

namespace fmha950::harness {

struct AttentionForm {
  std::string name; // of its figures
  std::string implementation, case_string;
};

class TimedAttention {
 public:
  // Throws InvalidInput for a case that the implementation does not take.
  explicit TimedAttention(const AttentionForm& form);
  Elapsed run(const Variation& variation);
  const std::string& name() const { return form_.name; }
  const Problem& problem() const { return problem_; }
  double flops() const { return flops_; }
  std::string text() const; // "attention_bf16: prepass batch_prefill/..."

 private:
  AttentionForm form_;
  Problem problem_;
  Tensors tensors_;
  CaseRun run_;
  std::vector<QueryRow> rows_;
  double flops_;
};

class TimedOracle {
 public:
  explicit TimedOracle(const std::string& case_string);
  Elapsed exact();
  Elapsed audit();      // of a plain implementation against itself: what is compared makes no difference
  double pairs() const; // of rows, heads and keys

 private:
  Problem problem_;
  Tensors tensors_;
  std::vector<QueryRow> rows_;
  ProbabilityRounding rounding_;
  AttentionRows exact_, plain_;
};

} // namespace fmha950::harness
