#pragma once
// The audit's coefficients over the key axis, for figures. The i-th tile of 64 keys has the value of the
// request and KV head in which it stands out most. A mean over all would hide errors of either sign.

#include "interface/audit.hpp"

namespace fmha950::harness {

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
