#pragma once
// s_waitcnt vmcnt(n) waits for an operation if at least n younger ones follow it up to there. A run shows how many follow on the ways
// that were taken; on others, past a branch, there may be fewer.

#include "harness/cure/fault.hpp"
#include "harness/cure/patient.hpp"
#include "harness/cure/protection.hpp"
#include "harness/cure/ways.hpp"

#include <map>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

class YoungerOperations {
 public:
  YoungerOperations(const Patient& patient, const Fault& fault) : patient_(patient), fault_(fault) {}

  // "", or of which report's earlier side some way leaves too few behind it for each of the waits. Waits of other counters than the
  // one that the side has say nothing.
  std::string too_few(const std::vector<Protection>& protections);
  // What too_few() says if one of the waits waited for an operation less: why a count is as small as it is. "" if runs say so.
  std::string why_not_looser(const std::vector<Protection>& protections);

 private:
  // The wait's place, as ways lead to it from the earlier side. Nothing: none does.
  const std::optional<Place>& reached(const CodePlace& earlier, const CodePlace& wait);

  const Patient& patient_;
  const Fault& fault_;
  std::map<std::pair<CodePlace, CodePlace>, std::optional<Place>> known_;
};

} // namespace fmha950::harness::cure
