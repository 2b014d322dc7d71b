#pragma once
// Whether changes order what a fault's reports are about. Silence is no proof: a report may be gone because an access is
// not met any more. So every run is made twice, and in the second the checks count on nothing that the changes bring. As
// it executes the same instructions in the same order, what is reported there and not in the first run is ordered by the
// changes, and by nothing else.
//
// A wrong value has consequences: addresses and branches that follow from it, and what is reported there. They are met where
// values are wrong, and no more when these are right. So every pair that is about an order has to be ordered where it was
// seen under a schedule in which memory takes effect at once, in a run whose bits are those of the cured kernel. Under other
// schedules at least one has to be; what else was seen there has to be gone, and counts as a consequence.

#include "harness/cure/fault.hpp"
#include "harness/cure/protection.hpp"

#include <functional>

namespace fmha950::harness::cure {

struct Screen {          // of runs in which the checks count on the changes
  std::string objection; // "": nothing but what is left
  std::set<Pair> left;   // of the fault's errors, whatever their severity is now
  bool diverges = false; // by the objection: waves meet at a barrier that others do not come to any more
  bool others = false;   // errors of other findings: results may be wrong by them
  bool clean() const { return objection.empty() && left.empty(); }
};
Screen screen(Patient& patient, const Fault& fault, const std::vector<Protection>& protections,
              const std::vector<Condition>& conditions);

struct Proof {
  std::string objection;   // "": all is proven
  size_t consequences = 0; // pairs
  std::string judged;      // "right by the oracle", or why it was not judged
  size_t runs = 0;
  bool holds() const { return objection.empty(); }
};
// Under every condition that the fault was looked for.
Proof prove(Patient& patient, const Fault& fault, const std::vector<Protection>& protections);

} // namespace fmha950::harness::cure
