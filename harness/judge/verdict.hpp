#pragma once
// The judges together (DESIGN.md section 7). Sound (sound.hpp) and audit (audit_judge.hpp) have headers of their own; rows,
// the second, and the cache, the fourth, are here.

#include "harness/device/device_cache.hpp"
#include "harness/judge/audit_judge.hpp"
#include "harness/judge/evidence.hpp"
#include "harness/judge/metrics.hpp"
#include "harness/judge/sound.hpp"
#include "interface/oracle.hpp"

#include <string>

namespace fmha950::harness {

// The second judge: every row's error against its own noise, before anything is averaged (DESIGN.md section
// 7; docs/harness.md, "Accuracy", has the limits in words). Columns are divided by their RMS over the keys'
// values, so that an outlier channel of V does not speak for all.
//
//   rmse        of a bucket of rows: one KV head, noise within a factor of 2
//   row         RMS of one row's error, without its component along the row
//   length      the share by which one row is too long
//   element     one element
//   norm_ratio  of all rows together, its distance from 1
//   fp8_ceiling largest error; FP8 caches only
//   lse         one row's LSE
//
// Judges `result`, which is evidence.got, or evidence.plain where it has to show that the limits are fair.
std::vector<Limit> judge_rows(const Evidence& evidence, const AttentionRows& result);

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

// The fourth judge: the cache of append_prefill after a call, byte for byte over whole pools: what was appended must be the
// oracle's bytes, everything else what it was before. If only a part of a call was run, each byte of the
// chunk's slots may also be what it was before.
struct CacheCheck {
  int64_t bytes = 0, appended = 0;        // of both pools; of the chunk's slots among them
  int64_t wrong = 0, changed = 0;         // bytes of the chunk's slots that are wrong, others that changed
  std::string first_wrong, first_changed; // with place, value and what would be right
  bool passed() const { return wrong + changed == 0; }
  std::string reason() const; // "" if passed
};

CacheCheck check_cache(const Problem& problem, const Tensors& before, const Cache& expected,
                       const DeviceCache& found, bool whole = true);

} // namespace fmha950::harness
