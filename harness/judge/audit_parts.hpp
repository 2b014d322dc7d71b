#pragma once
// Every part that the audit looks at (interface/audit.hpp): those of each request and KV head, and those that several share: a
// KV head's V, a page that requests share, a row that tokens list. And the tiles of keys among them as curves.

#include "harness/judge/evidence.hpp"
#include "interface/audit.hpp"
#include "interface/part_names.hpp"

#include <functional>

namespace fmha950::harness {

struct Part {
  PartPlace place;
  PartSums sums;
  LseSums lse, lse_offset; // zeros where there is no LSE
  double rows_alike = 1;   // AuditOwner's; the most if there are several owners
};

// Keys times KV heads of all owners of keys that have a query.
int64_t keys_to_audit(const Problem& problem, const Tensors& tensors);

void for_each_part(const Evidence& evidence, const std::function<void(const Part&)>& use);

// The audit's coefficients over the key axis, for figures. The i-th tile of 64 keys has the value of the
// request and KV head in which it stands out most. A mean over all would hide errors of either sign.
struct AuditCurve {
  int exponent = 0;          // of V: rows whose noise is 2^exponent to 2^(exponent + 1); one curve for each
  std::vector<double> share; // by which tile i counts too much; NaN where no row of the bucket sees it
  std::vector<double> sigma; // what rounding makes of it
};

struct AuditCurves {
  std::vector<AuditCurve> tiles; // of V
  AuditCurve scores; // by which scores are too large, where K has a descale per page or block; else empty
};

AuditCurves audit_curves(const AuditSums& audit);

} // namespace fmha950::harness
