#pragma once
// Findings that were known before: a report file of JSON lines that an earlier run wrote. A finding is known if one of its
// pairs has the cause of a pair of the file, so that what another schedule shows of it is not new. Each finding of the file stands for one:
// where two share a line of the source, and one was known, the second is new.

#include "emulator/observe/report/finding.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::observe {

class Baseline {
 public:
  // False, and `error` names the line and what would be right.
  static bool parse(std::string_view text, Baseline& baseline, std::string& error);
  void accept(std::vector<Finding>& findings) const; // those that are known; all that there are

 private:
  // Of the file, with a pair of that cause, which stands behind its severity: a note that is known takes no error with it.
  std::map<std::string, int> findings_;
};

} // namespace fmha950::observe
