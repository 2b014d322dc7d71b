#pragma once
// Runs probes on one implementation: the accuracy rule, and what a probe expects beyond it.

#include "harness/accuracy/accuracy_case.hpp"
#include "harness/probe/probe.hpp"

#include <map>
#include <optional>

namespace fmha950::harness {

class ProbeRunner {
 public:
  ProbeRunner(const Implementation& implementation, const AccuracyOptions& options)
      : implementation_(implementation), options_(options) {}

  // Fills `record` as judge_case() does. Throws what the implementation or the device throws.
  void run(const Probe& probe, const Tensors& tensors, CaseOracle& oracle, Record& record);

 private:
  void expect_ratio(const Probe& probe, Record& record);
  double ratio_of(const Probe& probe); // kernel/plain RMSE; run if it has not been

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
