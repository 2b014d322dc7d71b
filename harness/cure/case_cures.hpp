#pragma once
// Cures of the faults that a case shows in an implementation's kernels.

#include "harness/cure/finding_cure.hpp"
#include "harness/cure/too_strong.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct CaseCureOptions {
  std::string mutant;                 // changes that the kernels have in any case; "" none
  std::vector<std::string> schedules; // that a cure is proven under
  std::vector<std::string> further;   // cases that a cure has to hold on besides
  SearchLimits limits;
};

// Cases near this one that take other ways through a kernel: another tile of keys, a tail, the other mask, as far as the
// implementation takes them.
std::vector<std::string> further_cases(const Implementation& implementation, const std::string& text);

// In the order of the kernels' first launches. Throws InvalidInput where there is no embedded device.
std::vector<CuredFinding> cure_case(const Implementation& implementation, const std::string& text,
                                    const CaseCureOptions& options);

struct CaseStrengthOptions {
  std::vector<std::string> schedules, further; // as of a cure
  TooStrongLimits limits;
};
// What is too strong in each kernel that the case launches, likewise.
std::vector<TooStrongSet> too_strong_in_case(const Implementation& implementation, const std::string& text,
                                             const CaseStrengthOptions& options);

} // namespace fmha950::harness::cure
