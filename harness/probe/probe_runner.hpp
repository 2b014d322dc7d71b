#pragma once
// Runs probes on one implementation: the accuracy rule, and what a probe expects beyond it.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/probe/probe.hpp"

#include <map>
#include <optional>

namespace fmha950::harness {

// What probes compare with each other.
struct ProbeResult {
  double max_abs = 0;                // of the kernel's error
  double ratio = 0;                  // of the kernel's RMSE to plain's
  std::optional<double> worst_alone; // the largest ratio of the probe's pages alone, if it has any
};

class ProbeRunner {
 public:
  ProbeRunner(const Implementation& implementation, const AccuracyOptions& options)
      : implementation_(implementation), options_(options) {}

  // Fills `record` as judge_case() does. Throws what the implementation or the device throws.
  ProbeResult run(const Probe& probe, const Tensors& tensors, CaseOracle& oracle, Record& record);

 private:
  void expect_ratio(const ProbeResult& result, Record& record) const;
  double worst_alone(const Probe& probe);

  const Implementation& implementation_;
  const AccuracyOptions& options_;
  std::map<std::string, double> ratios_; // by name
};

struct ProbeFailure {
  std::string probe;
  Outcome outcome;
};

// Runs the probes that the implementation supports, in order, until one fails. Nothing if none does: what a
// mutant has to survive.
std::optional<ProbeFailure> first_failure(const Implementation& implementation,
                                          const std::vector<Probe>& probes, const AccuracyOptions& options);

} // namespace fmha950::harness
