#pragma once
// Findings that were known before: a report file of JSON lines that an earlier run wrote. A finding is known if one of its
// pairs has the cause of a pair of the file, so that what another schedule shows of it is not new.

#include "emulator/observe/report/finding.hpp"

#include <set>
#include <string>
#include <string_view>

namespace fmha950::observe {

class Baseline {
 public:
  // False, and `error` names the line and what would be right.
  static bool parse(std::string_view text, Baseline& baseline, std::string& error);
  bool knows(const Finding& finding) const;

 private:
  std::set<std::string> causes_; // each behind its severity: a note that is known takes no error with it
};

} // namespace fmha950::observe
