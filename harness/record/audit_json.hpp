#pragma once
// `accuracy.audit` of a record (docs/results.md).

#include "harness/judge/audit_curves.hpp"
#include "harness/judge/audit_judge.hpp"

#include <nlohmann/json_fwd.hpp>

namespace fmha950::harness {

// Null values where there is no verdict.
nlohmann::ordered_json audit_json(const AuditVerdict* verdict, const AuditCurves& curves);

} // namespace fmha950::harness
