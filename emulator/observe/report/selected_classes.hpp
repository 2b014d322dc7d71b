#pragma once
// Lets through the hazard classes and severities that are asked for: some checks find several.

#include "emulator/observe/report/hazard.hpp"

#include <utility>

namespace fmha950::observe {

class SelectedClasses final : public HazardSink {
 public:
  SelectedClasses(uint32_t checks, HazardSink& next) : checks_(checks), next_(next) {}
  uint32_t checks() const { return checks_; }
  // Whether an error of this class was let through since the last call of forget_errors().
  bool had_error(HazardClass type) const { return includes(classes_with_errors_, type); }
  void forget_errors() { classes_with_errors_ = 0; }
  void report(Hazard hazard) override {
    if (!includes(checks_, hazard.type)) return;
    if (hazard.severity == Severity::error) classes_with_errors_ |= 1u << static_cast<int>(hazard.type);
    if (checks_ & errors_only && hazard.severity != Severity::error) return;
    next_.report(std::move(hazard));
  }

 private:
  const uint32_t checks_;
  uint32_t classes_with_errors_ = 0;
  HazardSink& next_;
};

} // namespace fmha950::observe
