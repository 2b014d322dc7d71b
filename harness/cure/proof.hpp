#pragma once
// Whether changes order what a fault's reports are about. Silence is no proof: a report may be gone because an access is
// not met any more. So every run is made twice, and in the second the checks count on nothing that the changes bring. As
// it executes the same instructions in the same order, what is reported there and not in the first run is ordered by the
// changes, and by nothing else.
//
// A wrong value has consequences: addresses and branches that follow from it, and what is reported there. They are met where
// values are wrong, and no more when these are right. So
// - a pair about an order that was seen under a schedule in which memory takes effect at once, in a run with the bits of the
//   cured kernel, has to be met there in the doubted run;
// - one that was seen under any schedule in a run with these bits has to be met in some doubted run;
// - under every condition in which the fault was seen some pair has to be met: where no run had these bits, that is all;
// - what was seen in runs with other bits alone has to be gone, and counts as a consequence.
// A barrier that is inserted makes waves meet once more. Those that have ended before do not come there, which is a note of
// barrier_divergence, the only report that a cure may bring. Waves that still run pair as they did: a barrier that takes the
// stagger from two groups of waves, or makes others end before their last one, is none. In a loop that some waves pass more often
// than others it brings the meetings behind it, at the kernel's own barriers: of waves that came to different numbers of these.
// An instruction that merely takes a slot is no wait state: only s_nops order a pair of wait_states.

#include "harness/cure/fault.hpp"
#include "harness/cure/protection.hpp"

#include <functional>

namespace fmha950::harness::cure {

struct Screen {          // of runs in which the checks count on the changes
  std::string objection; // "": nothing but what is left
  std::set<Pair> left;   // of the fault's errors, whatever their severity is now
  // What is to be ordered yet, one report for each pair: what is left, and what is new. A fault that is cured in part shows
  // what it hid.
  std::vector<HazardReport> open;
  bool is_worse =
      false; // it faults where nothing did, or waves meet at a barrier that others do not come to any more
  bool diverges = false; // the latter
  bool others = false;   // errors of other findings: results may be wrong by them
  bool outlives = false; // waves have ended before others come to an inserted barrier
  bool clean() const { return objection.empty() && left.empty(); }
};
Screen screen(Patient& patient, const Fault& fault, const std::vector<Protection>& protections,
              const std::vector<Condition>& conditions);

constexpr const char* other_bits = "other bits than under another schedule"; // how such an objection begins
// What comes with a barrier that waves have ended before (outlives).
constexpr const char* ended_waves = "waves that have ended do not come there, a note";

struct Proof {
  std::string objection;        // "": all is proven
  size_t ordered = 0;           // pairs that the changes order; the fault's others are consequences, and gone
  std::set<size_t> not_reached; // problems in which no doubted run met a pair
  std::string judged;           // "right by the oracle", or why it was not judged
  bool outlives = false;        // as in Screen
  size_t runs = 0;
  bool holds() const { return objection.empty(); }
};
// Under every condition that the fault was looked for.
Proof prove(Patient& patient, const Fault& fault, const std::vector<Protection>& protections);

} // namespace fmha950::harness::cure
