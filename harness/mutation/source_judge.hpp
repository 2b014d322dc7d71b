#pragma once
// A source mutant is killed when a probe of its implementation and operator (harness/probe) is inaccurate,
// faults, or has a hazard report, with all checks on, where the unmutated implementation passes the same
// probe under the same schedules. What kept a probe from being judged, memory that ran out or an input
// refused, kills nothing. What no probe notices is equivalent if the device loads the same bytes as of the unmutated code
// object, else undecided.

#include "harness/mutation/ledger.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/probe.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fmha950 {
class Implementation;
}

namespace fmha950::harness {

inline constexpr const char* budget_of_probes =
    "100000000"; // instructions of a wave: probes are longer than the subjects of ISA mutants

class SourceJudge {
 public:
  SourceJudge(std::vector<Probe> probes, std::vector<std::string> schedules);
  LedgerEntry judge(const SourceMutant& mutant);
  std::vector<Control> controls() const; // probes that killed, run without mutation

 private:
  struct Failure {
    const Probe* probe = nullptr;
    bool convicts = false; // false: the probe could not be judged
    std::string reason;
  };
  std::optional<Failure> run(const Implementation& implementation, const Probe& probe,
                             const std::vector<std::string>& schedules) const;
  std::optional<Failure> first_failure(const Implementation& implementation, const SourceMutant& mutant,
                                       const std::vector<std::string>& schedules);
  const std::vector<Probe>&
  probes_for(const Implementation& implementation); // that it supports, as it can be asked
  Judgement unnoticed(const SourceMutant& mutant) const;
  const Control& control(const Implementation& implementation, const Probe& probe,
                         const std::vector<std::string>& schedules);

  std::vector<Probe> probes_;
  std::map<std::string, std::vector<Probe>> asked_; // by implementation
  std::vector<std::string> schedules_;
  std::map<std::pair<std::string, size_t>, Control> controls_; // by subject and number of schedules
};

} // namespace fmha950::harness
