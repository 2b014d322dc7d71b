#pragma once
// The third judge: rounding errors are noise, mistakes are not (DESIGN.md section 7; docs/audit.md explains
// it with a picture). A part of the keys fails where the share by which it counts too much is more than
// rounding can make of it:
//
//   |share| > 6 sigma + floor + |share that the plain implementation has|
//
// sigma comes from the noise model, never from residuals of the kernel. Where the plain implementation's own
// shares scatter more than the model says (rows that are alike round alike), sigma is as much larger.

#include "harness/judge/audit_parts.hpp"

namespace fmha950::harness {

struct Finding { // a part and what is known of it
  PartPlace place;
  bool of_lse = false; // its weight in the LSE, not in the output
  double share = 0, sigma = 0, floor = 0, plain = 0;
  double explained = 0; // of the rows' squared errors, in units of their noise
  std::string text;     // of those that a verdict keeps: describe()
  double z() const;     // how many sigmas of `share` rounding cannot explain: fails above 6
  double allowed() const { return 6 * sigma + floor + (plain < 0 ? -plain : plain); }
};

// "keys 6400-6463 (page 412 of request 0, KV head 1): V weighs 1.10 +- 0.01 of what it should"
std::string describe(const Problem& problem, const Finding& finding);

struct AuditVerdict {
  int64_t parts = 0, failed = 0;
  int64_t keys = 0, not_audited = 0; // of all requests and KV heads, judged or not; see keys_to_audit
  double inflation = 1;              // the largest factor of sigma
  std::optional<Finding> worst;      // by the share of what is allowed
  // What stands out most, whether it fails or not, failed ones first. If several parts share keys, only the
  // strongest stays. If the weight of V and a factor of scores both fail, the one that explains more stays.
  std::vector<Finding> findings;
  bool passed() const { return failed == 0; }
  Limit limit() const; // the worst, as the other judges have theirs
};

// `got`: whether the kernel's sums are judged, or the plain implementation's by themselves.
AuditVerdict judge_audit(const Evidence& evidence, bool got = true);

} // namespace fmha950::harness
