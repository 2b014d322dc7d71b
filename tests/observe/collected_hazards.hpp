#pragma once
// What a check reports, kept for a test to look at.

#include "emulator/observe/report/hazard.hpp"

#include <utility>
#include <vector>

namespace fmha950::test {

struct CollectedHazards final : observe::HazardSink {
  std::vector<observe::Hazard> all;
  void report(observe::Hazard hazard) override { all.push_back(std::move(hazard)); }
};

} // namespace fmha950::test
