#pragma once
// A finding with its cure, as it is told.

#include "harness/cure/search.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct CuredFinding {
  std::string kernel;
  hip::Function function = nullptr; // the kernel's
  std::string base;                 // changes that it had in any case
  HazardReport report;              // the pair that shows it best
  Cure cure;
  std::string chain;                // what orders the two now: wait, barrier
  std::string option;               // the cure, as option mutant takes it
  std::vector<std::string> held_on; // problems besides the first
};

// The findings of a kernel, one after the other: each is cured with the cures of those before it in force. The limits are those
// of all together.
std::vector<CuredFinding> cure_findings(Patient& patient, const std::vector<Condition>& conditions,
                                        const SearchLimits& limits);
bool is_interrupted(const std::vector<CuredFinding>& findings);

std::string as_text(const CuredFinding& finding, size_t number, size_t of);
std::string as_json(const CuredFinding& finding); // one line
std::string as_line(const CuredFinding& finding); // what it is, and its cure or why there is none
// "N findings, N cured, N partly, N not"
std::string closing_line(const std::vector<CuredFinding>& findings);

} // namespace fmha950::harness::cure
