#pragma once
// The audit's coefficients over the key axis, for figures: of the i-th tile of 64 keys of all requests and KV
// heads together, one curve for each bucket of rows whose noise is alike. (What a single request or head has
// is judged by itself: audit_judge.hpp.)

#include "interface/audit.hpp"

namespace fmha950::harness {

struct AuditCurve {
  int exponent = 0;          // rows whose noise is 2^exponent to 2^(exponent + 1)
  std::vector<double> share; // by which V of tile i counts too much; NaN where no row of the bucket sees it
  std::vector<double> sigma; // what rounding makes of it
};

std::vector<AuditCurve> audit_curves(const AuditSums& audit);

} // namespace fmha950::harness
