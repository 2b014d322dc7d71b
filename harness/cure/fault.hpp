#pragma once
// What is to be cured: a finding, the reports of severity error that share a cause, and where they are given.

#include "harness/cure/patient.hpp"

#include <map>
#include <memory>
#include <vector>

namespace fmha950::harness::cure {

using Seen = std::map<Condition, Observation>;

struct Fault {
  std::shared_ptr<const Seen> seen;  // of the kernel as it is, under every condition
  std::vector<HazardReport> reports; // one of severity error for each pair, in the order of their first sight
  std::set<Pair> errors;             // their pairs
  std::set<Pair> all, all_errors;    // of all findings, and of all severities: what is not among them is new
  size_t causes = 1;                 // that its reports have

  std::set<Pair> errors_under(const Condition& condition) const; // of this finding
  // Conditions, as few as may be, under which all errors are seen.
  std::vector<Condition> showing() const;
  const HazardReport& strongest() const; // about an order rather than a value, then seen most
};

// Every finding, by its cause under any of the conditions; in the order of their first sight.
std::vector<Fault> faults_of(Patient& patient, const std::vector<Condition>& conditions);
// All of them as one: of a mutant there is one cause.
Fault fault_of(Patient& patient, const std::vector<Condition>& conditions);

} // namespace fmha950::harness::cure
