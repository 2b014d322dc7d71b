#pragma once
// What is to be cured: the reports of severity error that a kernel gives without a change, where it gives them.

#include "harness/cure/patient.hpp"

#include <map>
#include <vector>

namespace fmha950::harness::cure {

struct Fault {
  std::map<Condition, Observation> seen; // of the kernel as it is, under every condition
  std::vector<HazardReport> reports; // one of severity error for each pair, in the order of their first sight
  std::set<Pair> errors;             // their pairs
  std::set<Pair> all;                // of all severities: what is not among them is new

  // Conditions, as few as may be, under which all errors are seen.
  std::vector<Condition> showing() const;
};

Fault fault_of(Patient& patient, const std::vector<Condition>& conditions);

} // namespace fmha950::harness::cure
