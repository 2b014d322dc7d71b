#pragma once
// Findings of the embedded device's hazard checks (its option check; docs/hazards.md).

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

struct HazardReport {
  std::string hazard, kernel, what, missing;
  std::string earlier, later; // "file:line: instruction" of both sides; "" when there is none
  uint64_t earlier_offset = 0, later_offset = 0; // from the kernel's entry
  uint64_t count = 0;
  std::string json;     // the whole report, one line
  std::string severity; // error, warning or note
};

// What was found since the last call, which is forgotten then. Empty on a real GPU.
std::vector<HazardReport> take_hazards();

// "3 hazards: lds_order at tile.hip:32: ds_write_b32 v1, v0 -> tile.hip:34: ds_read_b32 v2, v1: missing a
// barrier; ...", the first few of them.
std::string describe(const std::vector<HazardReport>& hazards);

} // namespace fmha950::harness
