#pragma once
// What a kernel's code says of a cure on all paths, without running (docs/static_check.md): registers in flight, wait states,
// and LDS DMA whose addresses are known.

#include "harness/cure/fault.hpp"
#include "harness/cure/patient.hpp"
#include "harness/cure/protection.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct AllPaths {
  size_t gone = 0, is_new = 0;           // errors of the code: with the cure no more, and not before
  std::set<Pair> left;                   // those that are there with the cure, too
  size_t unknown = 0;                    // places that the code alone does not decide
  size_t barriers_behind_branches = 0;   // of these, inserted: that all waves come to them runs alone say
  bool leaves(const Fault& fault) const; // some path shows one of its pairs still
  std::string text() const;
};

// Asks of each changed code once.
class PathCheck {
 public:
  explicit PathCheck(const Patient& patient) : patient_(patient) {}
  AllPaths of(const std::vector<Protection>& protections);

 private:
  struct Said {
    std::set<Pair> errors;
    size_t unknown = 0;
  };
  const Said& said_of(const std::string& changes);

  const Patient& patient_;
  std::map<std::string, Said> known_;
};

} // namespace fmha950::harness::cure
