#pragma once
// The oracle and the audit on one problem, to be timed again and again.

#include "harness/bench/stopwatch.hpp"
#include "interface/oracle.hpp"

#include <string>

namespace fmha950::harness {

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
