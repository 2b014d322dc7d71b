#include "harness/sabotage/expected_z.hpp"

#include "harness/judge/audit_judge.hpp"
#include "harness/judge/verdict.hpp"
#include "interface/ulp.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::harness {

ExpectedZ expected_z(const Evidence& evidence) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(evidence.got.output, finite)) return {INFINITY, "sound"};
  ExpectedZ expected;
  for (const Limit& limit : judge_rows(evidence, evidence.got)) {
    if (limit.value == 0) continue;
    const double z = certain_z / 2 * limit.value / limit.limit;
    if (!(z <= expected.z)) expected = {std::isnan(z) ? INFINITY : z, limit.name};
  }
  const AuditVerdict audit = judge_audit(evidence);
  if (!audit.findings.empty() && audit.findings.front().z() > expected.z)
    expected = {audit.findings.front().z(), "audit"};
  return expected;
}

AttentionRows rounded_back(AttentionRows wrong, const AttentionRows& exact, ElementType type) {
  for (size_t i = 0; i < wrong.output.size(); ++i) {
    double& got = wrong.output[i];
    if (!std::isfinite(got)) continue;
    const double step = ulp(type, std::fabs(got)), steps = got / step;
    got = step * (got > exact.output[i] ? std::floor(steps) : std::ceil(steps));
  }
  return wrong;
}

SabotageVerdict sabotage_verdict(const ExpectedZ& expected, bool noticed) {
  if (!expected.certain()) return SabotageVerdict::below_sensitivity;
  return noticed ? SabotageVerdict::caught : SabotageVerdict::missed;
}

} // namespace fmha950::harness
