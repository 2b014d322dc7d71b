#pragma once
// The judges together (DESIGN.md section 7): sound, rows, audit. The fourth, the cache, is cache_check.hpp's.

#include "harness/judge/audit_judge.hpp"
#include "harness/judge/metrics.hpp"
#include "harness/judge/row_judge.hpp"
#include "harness/judge/sound.hpp"

namespace fmha950::harness {

struct Verdict {
  ErrorMetrics kernel, plain; // against the oracle
  ErrorMetrics lse;           // finite LSE values only
  Defects defects, lse_defects;
  std::vector<Limit> limits; // of rows and audit
  AuditVerdict audit;
  std::string findings; // of the audit, in words; "" if it passed
  bool passed() const;
  std::string reason() const; // "" if passed, else every judge that failed, with rows and keys
};

// Throws OracleUnsound where the reference is none, or where the plain implementation does not pass: then the
// limits are not fair to anybody. Defects are the caller's to find: it knows which elements were untouched.
Verdict judge(const Evidence& evidence);

} // namespace fmha950::harness
