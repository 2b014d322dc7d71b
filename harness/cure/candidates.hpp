#pragma once
// Where a fault's reports could be ordered, and by what: each candidate in its strongest form.

#include "harness/cure/protection.hpp"
#include "harness/device/hazards.hpp"
#include "interface/hip.hpp"

#include <set>
#include <vector>

namespace fmha950::harness::cure {

// The likeliest first: waits that are there and would have to wait for more, then what is inserted, outside of loops before
// inside, near the later side before far from it. Barriers stand in front of a branch before they stand behind it. `changed`: offsets of
// instructions that the patient's base changes: nothing is put there.
std::vector<Protection> candidates(const hip::Kernel& kernel, const std::vector<HazardReport>& reports,
                                   const std::set<CodePlace>& changed);

} // namespace fmha950::harness::cure
