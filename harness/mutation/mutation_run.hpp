#pragma once
// `probe --mutants`: judges every mutant, in parallel.

#include "harness/mutation/ledger.hpp"

#include <optional>
#include <set>
#include <string>

namespace fmha950::harness {

constexpr size_t ci_schedules = 20, full_schedules = 200;

struct MutationOptions {
  std::string filter; // keep mutants in whose "subject mutant" this regular expression is found
  size_t schedules = ci_schedules;
  std::optional<std::set<std::string>> pages; // only these (ledger_pages.hpp)
};

Ledger judge_mutants(const MutationOptions& options); // throws InvalidInput where there is no embedded device

} // namespace fmha950::harness
