#pragma once
// Findings of the embedded device's hazard checks (its option check; docs/hazards.md).

#include "harness/device/code_place.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

// By what an instruction would order the two sides; nothing of it: none would.
struct Lacks {
  bool vmcnt = false, lgkmcnt = false; // a wait for these
  bool before_barrier = false;         // it has to come before the barrier that is there
  bool before_flag = false;            // or before the atomic that tells another workgroup
  bool barrier = false;
  int states = 0; // wait states
};

struct HazardReport { // a finding, or one of its pairs
  std::string hazard, kernel, what, missing;
  std::string earlier, later;           // "file:line: instruction" of both sides; "" when there is none
  CodePlace earlier_place, later_place; // of both
  uint64_t count = 0;                   // of a finding's pairs, the sum
  std::string json;                     // the whole report, one line
  std::string severity;                 // error, warning or note
  uint64_t pairs = 1;                   // of code locations
  Lacks lacks = {};
  bool accepted = false; // by the user's suppressions or baseline, if these are told (device option accepted)
};

// What was found since the last call of either, which is forgotten then. Empty on a real GPU.
std::vector<HazardReport> take_hazards();  // each pair of code locations
std::vector<HazardReport> take_findings(); // each cause, by the pair that shows it best

// The pairs of a finding, a line of a report file. They say of their instructions where they are only.
std::vector<HazardReport> pairs_of_finding(const std::string& line);

// "2 findings: lds_order at tile.hip:32: ds_write_b32 v1, v0 -> tile.hip:34: ds_read_b32 v2, v1: missing a
// barrier (22 pairs); ...", the first few of them.
std::string describe(const std::vector<HazardReport>& findings);

// Under which schedules bits differed from those under the first, as part of what is kept of these findings.
void add_changed_bits(std::vector<HazardReport>& findings, const std::vector<std::string>& schedules);

} // namespace fmha950::harness
