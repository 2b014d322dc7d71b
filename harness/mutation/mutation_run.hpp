#pragma once
// `probe --mutants`: judges every mutant, in parallel.

#include "harness/mutation/ledger.hpp"
#include "harness/mutation/standing.hpp"

#include <optional>
#include <set>
#include <string>

namespace fmha950::harness {

// All 8,499 kills that the ledger held on 24 November 2026 were made under the first schedule, as the checks judge what
// waits guarantee. The others are there for what no check sees.
constexpr size_t ci_schedules = 4, full_schedules = 20;

struct MutationOptions {
  std::string filter; // keep mutants in whose "subject mutant" this regular expression is found
  size_t schedules = ci_schedules;
  std::optional<std::set<std::string>> pages; // only these (ledger_pages.hpp)
  Standing standing;                          // what is not judged again
};

Ledger judge_mutants(const MutationOptions& options); // throws InvalidInput where there is no embedded device

} // namespace fmha950::harness
