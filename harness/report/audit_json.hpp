#pragma once
// `accuracy.audit` of a record (docs/results.md).

#include "harness/accuracy/audit_curves.hpp"
#include "harness/accuracy/audit_judge.hpp"

#include <nlohmann/json_fwd.hpp>

namespace fmha950::harness {

// Null values where there is no verdict.
nlohmann::ordered_json audit_json(const AuditVerdict* verdict, const std::vector<AuditCurve>& curves);

} // namespace fmha950::harness
