#pragma once
// What a check reports, kept for a test to look at.

#include "emulator/observe/report/hazard.hpp"

#include <utility>
#include <vector>

namespace fmha950::test {

// Of the order checks, without visibility across caches.
constexpr uint32_t order_checks = 1u << static_cast<int>(observe::HazardClass::memory_order) |
                                  1u << static_cast<int>(observe::HazardClass::lds_order);

struct CollectedHazards final : observe::HazardSink {
  explicit CollectedHazards(uint32_t of = observe::all_checks) : checks(of) {}
  uint32_t checks; // others are dropped
  std::vector<observe::Hazard> all;
  void report(observe::Hazard hazard) override {
    if (includes(checks, hazard.type)) all.push_back(std::move(hazard));
  }
};

} // namespace fmha950::test
