#pragma once
// Ground truth: mutants of our kernels that a report of severity error kills are faults whose cure is known to exist. How
// many of them are cured says how much the search finds (docs/cures.md).

#include "harness/cure/search.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct MutantCure {
  std::string subject, mutant; // the mutant's id, or two with a comma between them
  std::string code;            // digest of the code object
  std::string verdict;         // of Cure, or "not an order fault", "no error"
  std::string change;          // the cure, as option mutant takes it
  size_t places = 0, pairs = 0, ordered = 0, executions = 0;
  double clocks = 0, clocks_cured = 0; // of the unmutated kernel, and of the cured one; modelled
  std::string objection;               // what stood in the way

  // What was taken away: "vmcnt", "lgkmcnt", "barrier", "nop", "pair".
  std::string kind() const;
};

struct MutantCureOptions {
  std::string filter; // keep what this regular expression is found in: "subject mutant"
  size_t most = 0;    // a sample of so many, drawn by their names; 0: all
  bool pairs = false; // two mutants of one kernel at a time
  SearchLimits limits;
  std::function<void(const MutantCure&)> done = {}; // is told of each, part by part
};

// Those of the ledger (data/mutants/ledger) that were killed by a report of an order, in as many processes as there are
// cores. `known` of the same code are not judged again. Throws InvalidInput where there is no embedded device.
std::vector<MutantCure> cure_mutants(const MutantCureOptions& options, const std::vector<MutantCure>& known);

std::string as_table(const std::vector<MutantCure>& cures); // how many of each kind were cured
// "N findings, N cured, N partly, N not"
std::string closing_line(const std::vector<MutantCure>& cures);

std::string to_line(const MutantCure& cure);   // JSON
MutantCure from_line(const std::string& line); // throws InvalidInput

} // namespace fmha950::harness::cure
