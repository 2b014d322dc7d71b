#pragma once
// Hazards that the user has looked at and accepts. A file of lines
//   CLASS PLACE REASON...
// CLASS is a hazard class or *, PLACE the end of either side's source location as FILE:LINE, also of what it is inlined
// into, or SYMBOL+0xOFFSET; # begins a comment. The reason is required. A finding is accepted as a whole, if that names one of its pairs of its own severity: a note that is
// accepted takes no error with it.

#include "emulator/observe/report/finding.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::observe {

struct Suppression {
  uint32_t checks = 0; // classes, one bit each
  std::string location, reason;
};

class Suppressions {
 public:
  // False, and `error` names the line and what would be right.
  static bool parse(std::string_view text, Suppressions& suppressions, std::string& error);
  bool match(HazardClass type, std::string_view place) const;
  bool match(const Finding& finding) const;

 private:
  std::vector<Suppression> entries_;
};

} // namespace fmha950::observe
