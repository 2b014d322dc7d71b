#pragma once
// Whether executions show a difference between a kernel and the same with changes to it. They only see what is executed: where they
// show none, that alone is no reason to believe that there is none.

#include "harness/cure/patient.hpp"

#include <map>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

class Comparison {
 public:
  // Runs the kernel as it is under all conditions.
  Comparison(Patient& patient, std::vector<Condition> conditions);
  // "", or why nothing can be compared: a fault, or a report of severity error.
  const std::string& unsound() const { return unsound_; }
  // "", or what is different with the changes: a fault, a report that is new or more severe, other bits than the kernel's under
  // the same condition, or outputs that the oracle does not pass.
  std::string difference(const std::string& changes);
  const std::string& base() const { return patient_.base(); }
  size_t runs() const { return runs_; }

 private:
  std::string named(const Condition& condition, const std::string& what) const;

  Patient& patient_;
  const std::vector<Condition> conditions_;
  std::map<Condition, const Outputs*> outputs_; // the patient's
  std::set<Pair> known_, errors_;               // of all conditions
  std::string unsound_;
  size_t runs_ = 0;
};

} // namespace fmha950::harness::cure
