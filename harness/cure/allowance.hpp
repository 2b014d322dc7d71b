#pragma once
// What the search for cures of a kernel's findings may take, all of them together.

#include "harness/cure/search.hpp"

#include <chrono>

namespace fmha950::harness::cure {

class Allowance {
 public:
  // Runs that were made by then, to look for findings, are not counted, nor is their time. Both have to outlive it.
  Allowance(const Patient& patient, const SearchLimits& limits)
      : patient_(patient), limits_(limits), executed_before_(patient.executions()) {}
  // Of the next finding, which so many share it with, itself among them; its progress is told as the kernel's.
  SearchLimits left(size_t findings) const;
  bool is_spent() const;

 private:
  size_t executed() const { return patient_.executions() - executed_before_; }
  double seconds() const;

  const Patient& patient_;
  const SearchLimits& limits_;
  const size_t executed_before_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

} // namespace fmha950::harness::cure
