#pragma once
// Where a barrier could stand: places that are tried besides those that a report points at.

#include "harness/cure/protection.hpp"
#include "harness/cure/ways.hpp"
#include "harness/device/hazards.hpp"
#include "interface/hip.hpp"

#include <set>
#include <vector>

namespace fmha950::harness::cure {

Protection protection_at(const Place& place); // that does nothing yet

// Whether what stands behind it may be executed by other waves, or at another time, than what stands before it.
bool ends_stretch(const Place& place);

// A barrier, with all waits, in each stretch of the kernel's code between barriers and branches, at this depth of loops.
std::vector<Protection> barriers_in_loops(const hip::Kernel& kernel, int loop_depth);

// A barrier, with all waits, right behind each run of waits, of memory instructions and of matrix instructions between the sides
// of a report: kernels have theirs there. It is the first of these reports that lacks a barrier, the others are much alike; none if
// none does. `changed`: offsets of instructions at which nothing is put.
std::vector<Protection> barriers_behind_runs(const hip::Kernel& kernel,
                                             const std::vector<HazardReport>& reports,
                                             const std::set<CodePlace>& changed);

} // namespace fmha950::harness::cure
