#include "harness/judge/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

bool all_hold(const std::vector<Limit>& limits) {
  return std::ranges::all_of(limits, [](const Limit& limit) { return limit.holds(); });
}

std::string failed_limits(const std::vector<Limit>& limits) {
  std::vector<std::string> parts;
  for (const Limit& limit : limits)
    if (!limit.holds()) parts.push_back(describe(limit));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string findings_text(const AuditVerdict& audit) {
  constexpr size_t most = 3;
  std::vector<std::string> parts;
  for (const Finding& finding : audit.findings)
    if (!(finding.z() <= 6) && parts.size() < most) parts.push_back(finding.text);
  if (parts.empty()) return "";
  const auto others = audit.failed - static_cast<int64_t>(parts.size());
  return fmt::format("audit: {}{}", fmt::join(parts, "; "),
                     others > 0 ? fmt::format("; and {} more parts", others) : "");
}

// The plain implementation is right, so whatever fails it is the judges' mistake. A few of the audit's parts
// may stand out where rows are alike and round alike: the kernel may then have as much there as plain has.
// All parts may scatter more than the model says, but not so much that nothing stands out any more.
void require_plain(const Evidence& evidence) {
  const std::vector<Limit> limits = judge_rows(evidence, evidence.plain);
  const AuditVerdict audit = judge_audit(evidence, false);
  constexpr int64_t few = 16;
  constexpr double most_inflation = 16; // seen: 2.1 of lists, 10 of probes whose V are all alike
  if (audit.inflation > most_inflation)
    throw OracleUnsound(
        fmt::format("the plain implementation does not pass: shares of parts scatter {:.4g} times as much as "
                    "noise would, at most {:.4g} is fair",
                    audit.inflation, most_inflation));
  if (all_hold(limits) && audit.failed <= std::max(few, audit.parts / 1000)) return;
  const std::string rows = failed_limits(limits), parts = findings_text(audit);
  throw OracleUnsound(fmt::format("the plain implementation does not pass: {}{}{}", rows,
                                  rows.empty() || parts.empty() ? "" : "; ", parts));
}

} // namespace

bool Verdict::passed() const { return !defects.any() && !lse_defects.any() && all_hold(limits); }

std::string Verdict::reason() const {
  std::vector<std::string> parts;
  if (defects.any()) parts.push_back(describe(defects, "output"));
  if (lse_defects.any()) parts.push_back(describe(lse_defects, "lse"));
  for (const Limit& limit : limits)
    if (!limit.holds() && limit.name != "audit") parts.push_back(describe(limit));
  if (!findings.empty()) parts.push_back(findings);
  return fmt::format("{}", fmt::join(parts, "; "));
}

Verdict judge(const Evidence& evidence) {
  const size_t rows = evidence.exact.rows.size();
  const bool lse = evidence.problem.lse;
  require_sound(evidence.problem, rows, evidence.exact, true, "the reference");
  require_sound(evidence.problem, rows, evidence.plain, true, "the plain implementation");
  require_all_compared(evidence);
  require_plain(evidence);
  Verdict verdict;
  verdict.kernel = compare(evidence.exact.output, evidence.got.output);
  verdict.plain = compare(evidence.exact.output, evidence.plain.output);
  if (lse) verdict.lse = compare(evidence.exact.lse, evidence.got.lse);
  verdict.limits = judge_rows(evidence, evidence.got);
  verdict.audit = judge_audit(evidence);
  verdict.limits.push_back(verdict.audit.limit());
  verdict.findings = findings_text(verdict.audit);
  return verdict;
}

} // namespace fmha950::harness
