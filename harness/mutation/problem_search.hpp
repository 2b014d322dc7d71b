#pragma once
// Problems that kill mutants, found: random small problems near those of the list are run on the mutants that
// nothing has noticed yet, until one kills them. What has taken a new way with an operation in flight (the device's
// option `paths`) is what the next problems are drawn near to.

#include "harness/mutation/isa_mutants.hpp"
#include "harness/mutation/kernel_list.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

struct Find {
  std::string problem;
  std::vector<std::string> killed; // ids, by the judge's own rule
};

struct Search {
  std::vector<Find> finds; // as few as kill all that were killed
  size_t launched = 0,
         ways = 0; // problems that came to the kernel; pairs of way and operation that they showed
  std::vector<std::string> left; // ids that no problem killed
};

// Runs the problems of the kernel's list and then `tries` others. Everything follows from the seed. Sets the
// device's options.
Search search_problems(const ListedKernel& kernel, const std::vector<Mutant>& mutants, uint64_t seed,
                       size_t tries);

} // namespace fmha950::harness
