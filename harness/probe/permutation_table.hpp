#pragma once
// The page permutation probes as one table: a row for each list of pages.

#include "harness/probe/probe_runner.hpp"
#include "interface/outcome.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace fmha950::harness {

class PermutationTable {
 public:
  // Keeps nothing of other families. `result` is null for a probe that did not come to its end.
  void add(const std::string& implementation, const Probe& probe, const ProbeResult* result,
           const Outcome& outcome);
  // For each implementation a heading and the rows in the order in which they were added;
  // nothing without rows.
  void print(std::FILE* out) const;

 private:
  struct Row {
    std::string kind, pages;
    std::optional<ProbeResult> random_v, constant_v;
    std::vector<std::string> verdicts; // of what did not pass: "constant_v inaccurate"
  };
  Row& row_of(const std::string& implementation, const std::string& kind, const std::string& pages);

  std::map<std::string, std::vector<Row>> rows_; // by implementation
};

} // namespace fmha950::harness
