#pragma once
// What a kernel's code says of a cure on all paths, without running (docs/static_check.md): registers in flight, wait states,
// and LDS DMA whose addresses are known.

#include "harness/cure/patient.hpp"
#include "harness/cure/protection.hpp"

#include <set>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct AllPaths {
  size_t gone = 0, is_new = 0; // errors of the code: with the cure no more, and not before
  std::set<Pair> left;         // those that are there with the cure, too
  size_t unknown = 0;          // places that the code alone does not decide
  std::string text() const;
};
AllPaths all_paths(const Patient& patient, const std::vector<Protection>& protections);

} // namespace fmha950::harness::cure
