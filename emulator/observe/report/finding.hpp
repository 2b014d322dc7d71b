#pragma once
// One mistake shows as many reports: a missing wait behind which every register of a load is read, a barrier without
// which each tile is read too early, in each copy of an unrolled loop. Reports that share a cause are one finding.
//
// Two reports share a cause if
// - one instruction at one place would order both: the places at which one would (Report::between) have one in common,
//   and the same is missing. Of all ways to share reports out among such places, one with the fewest;
// - or they are copies of each other: the same is missing between the same source lines or, without line information,
//   between the same opcodes in the same loops, with much the same code around them;
// - or one follows from the other: a value that is used before it is there is uninitialised, too.

#include "emulator/observe/report/report.hpp"

#include <span>

namespace fmha950::observe {

struct Finding {
  Report strongest; // the pair that shows it best: an error before a warning, then seen most, then nearest
  std::vector<Report> pairs;   // all of it, in the order of their first sight
  std::vector<size_t> numbers; // theirs in what the findings were made of
  uint64_t count = 0;          // of all of them
  std::string cause;           // of the first of them; of a second finding with the same one it ends in " #2"
  bool accepted = false;       // by a suppression or a baseline: told all the same (option accepted)
};

// What tells the cause of a report from others, for people and files: symbol, places, what is missing.
std::string cause_of(const Report& report);

Finding finding_of(std::span<const Report> pairs); // of one cause
// In the order of severity, then of first sight.
std::vector<Finding> findings_of(std::span<const Report> reports);

std::string as_text(const Finding& finding);
std::string as_json(const Finding& finding); // one line
std::string as_json(const Report& report,
                    const std::string& cause);              // likewise, of one pair of such a finding
std::string as_sarif(const std::vector<Finding>& findings); // SARIF 2.1.0, one run
constexpr int findings_schema = 2;                          // of both

} // namespace fmha950::observe
