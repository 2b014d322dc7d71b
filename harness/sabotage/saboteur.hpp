#pragma once
// `probe --sabotage`: the judges are judged. Runs cases in which one thing is wrong on purpose (defect.hpp)
// and sees whether the verdict notices.

#include "harness/cases/case_memory.hpp"
#include "harness/sabotage/sabotage_ledger.hpp"

#include <functional>
#include <set>

namespace fmha950::harness {

struct SabotageOptions {
  std::string list;           // of cases
  std::string implementation; // names, or all
  std::string filter;         // keeps defects in whose key this regular expression is found
  std::set<std::string> done; // keys that need not be run again
  MemoryLimit memory = {};    // of a case; NotEnoughMemory is thrown for one that needs more
};

// Calls `add` for each entry as it is made. Throws InvalidInput for a filter or list that is none, and
// std::runtime_error where an implementation fails a case without any defect: then nothing is proven.
void sabotage(const SabotageOptions& options, const std::function<void(const SabotageEntry&)>& add);

} // namespace fmha950::harness
