#include "harness/report/audit_table.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

void AuditTable::print(const Record& record) {
  results_->print(record);
  if (!record.accuracy || record.accuracy->verdict.audit.parts == 0) return;
  const AuditVerdict& audit = record.accuracy->verdict.audit;
  fmt::print(out_,
             "  audit: {} parts of {} keys, {} failed; {} keys not audited; sigma taken up to "
             "{:.2f} times\n",
             audit.parts, audit.keys, audit.failed, audit.not_audited, audit.inflation);
  fmt::print(out_, "  {:>7} {:>10} {:>9} {:>9}  {}\n", "z", "share", "sigma", "allowed",
             "part: what it does");
  for (const Finding& finding : audit.findings)
    fmt::print(out_, "  {:>7.1f} {:>+10.4g} {:>9.2g} {:>9.2g}  {}\n", finding.z(), finding.share,
               finding.sigma, finding.allowed(), finding.text);
  std::fflush(out_);
}

} // namespace fmha950::harness
