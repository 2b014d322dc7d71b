#pragma once
// What would order the two sides of a hazard, read from what its check says is missing: nothing else reads that text.

#include "emulator/observe/report/hazard.hpp"

#include <string_view>

namespace fmha950::observe {

struct MissingOrder {
  enum class Before : uint8_t { later, barrier, atomic };
  bool vmcnt = false, lgkmcnt = false; // a wait for these; both, where a FLAT instruction owes both
  Before before =
      Before::later; // what it has to come before: the later side, the barrier or the atomic that is there
  bool barrier = false;
  int states = 0; // wait states

  bool waits() const { return vmcnt || lgkmcnt; }
  bool is_any() const { return waits() || barrier || states > 0; }
};
// Of what is no matter of order within a workgroup (values, places, visibility, other workgroups): none of these.
MissingOrder missing_order(HazardClass type, std::string_view missing);

} // namespace fmha950::observe
