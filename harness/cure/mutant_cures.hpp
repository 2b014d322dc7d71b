#pragma once
// Ground truth: mutants of our kernels that a report of severity error kills are faults whose cure is known to exist. How
// many of them are cured says how much the search finds (docs/cures.md).

#include "harness/cure/search.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct MutantCure {
  // The mutant's id, or two with a comma between them; or a source mutant: implementation, "code object/name".
  std::string subject, mutant;
  std::string code;    // digest of the code object
  std::string verdict; // of Cure, or "not an order fault", "no error"
  std::string change;  // the cure, as option mutant takes it
  size_t places = 0, pairs = 0, ordered = 0, executions = 0;
  double clocks = 0, clocks_cured = 0; // of the unmutated kernel, and of the cured one; modelled
  std::string objection;               // what stood in the way

  // What was taken away: "vmcnt", "lgkmcnt", "barrier", "nop", "pair", "source".
  std::string kind() const;
  bool is_of(const MutantCure& other) const { // the same mutant of the same code
    return subject == other.subject && mutant == other.mutant && code == other.code;
  }
  // Whether the cured kernel takes at most this part more of clocks.
  bool is_within(double part) const;
};
constexpr const char* no_order_fault = "not an order fault"; // a verdict

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

// How many of each kind were cured, and how many of these take at most `time_limit` (inert_waits.hpp) more of clocks.
std::string as_table(const std::vector<MutantCure>& cures, double time_limit);
// "Of N cured findings N have every pair met and ordered; of N (N %) some pair is only gone"
std::string gone_line(const std::vector<MutantCure>& cures);
// "N findings, N cured, N partly, N not"
std::string closing_line(const std::vector<MutantCure>& cures);

std::string to_line(const MutantCure& cure);   // JSON
MutantCure from_line(const std::string& line); // throws InvalidInput

} // namespace fmha950::harness::cure
