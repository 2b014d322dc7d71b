#pragma once
// Lets through the hazard classes and severities that are asked for: some checks find several.

#include "emulator/observe/report/hazard.hpp"

#include <utility>

namespace fmha950::observe {

class SelectedClasses final : public HazardSink {
 public:
  SelectedClasses(uint32_t checks, HazardSink& next) : checks_(checks), next_(next) {}
  uint32_t checks() const { return checks_; }
  void report(Hazard hazard) override {
    if (!includes(checks_, hazard.type)) return;
    if (checks_ & errors_only && hazard.severity != Severity::error) return;
    next_.report(std::move(hazard));
  }

 private:
  const uint32_t checks_;
  HazardSink& next_;
};

} // namespace fmha950::observe
