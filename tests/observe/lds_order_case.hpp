#pragma once
// What tests of the LDS order check share: a workgroup of four waves, and rows of 1 KiB that all lanes touch.

#include "tests/observe/traced_workgroup.hpp"

namespace fmha950::test {

struct LdsOrderCase {
  static LaneRange row_at(uint64_t begin) { return {.begin = begin, .bytes = 16, .stride = 16}; }
  const LaneRange row = row_at(0);

  CollectedHazards hazards;
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards};
  TracedWorkgroup workgroup{checks, 4};
};

} // namespace fmha950::test
