#pragma once
// `probe --mutants --search`: looks for problems that kill what the ledger holds to be undecided, in parallel.

#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/problem_search.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fmha950::harness {

struct SearchOptions {
  std::string filter;                         // over "subject mutant", as of judge_mutants()
  std::optional<std::set<std::string>> pages; // only these
  uint64_t seed = 1;
  size_t tries = 300; // problems for each kernel, beside those of the list
};

struct KernelSearch {
  ListedKernel kernel; // with the problems that were found
  size_t mutants = 0;  // that were undecided
  Search search;
};

// Of every kernel of the list with mutants that the ledger in `folders` holds to be undecided and the kernel's code
// does not prove. Throws InvalidInput where there are none.
std::vector<KernelSearch> search_all(const SearchOptions& options, const LedgerFolders& folders);

// Lines for data/mutants/kernels.txt, what was found for each kernel, and a sum.
std::string as_text(const std::vector<KernelSearch>& searches);

} // namespace fmha950::harness
