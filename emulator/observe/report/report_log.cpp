#include "emulator/observe/report/report_log.hpp"

#include "emulator/loader/code_object.hpp"

#include <fmt/format.h>
#include <utility>

namespace fmha950::observe {
namespace {

ReportedParty resolve(const loader::Kernel& kernel, const Party& party) {
  ReportedParty resolved;
  if (party.address == 0) return resolved;
  resolved.present = true;
  resolved.workgroup = party.workgroup;
  resolved.wave = party.wave;
  resolved.lane = party.lane;
  resolved.offset = party.address - kernel.entry;
  resolved.source = kernel.object->source_line(party.address);
  if (const auto* in = kernel.object->program().find(party.address, kernel.accum_offset))
    resolved.instruction = isa::disassemble(*in);
  return resolved;
}

} // namespace

void ReportLog::report(Hazard hazard) {
  const std::lock_guard lock(mutex_);
  const uint64_t entry_point = hazard.kernel ? hazard.kernel->entry : 0;
  const Key key{hazard.type,
                hazard.severity,
                hazard.kernel,
                hazard.kernel ? hazard.kernel->name : "",
                hazard.earlier.address - entry_point,
                hazard.later.address - entry_point,
                hazard.kernel ? 0 : hazard.begin};
  const auto [entry, is_new] = entries_.try_emplace(key, no_report);
  if (is_new) {
    Report report;
    report.type = hazard.type;
    report.severity = hazard.severity;
    report.what = std::move(hazard.what);
    report.missing = std::move(hazard.missing);
    report.usually = std::move(hazard.usually);
    report.begin = hazard.begin;
    report.end = hazard.end;
    if (hazard.kernel) {
      report.kernel = hazard.kernel->name;
      report.earlier = resolve(*hazard.kernel, hazard.earlier);
      report.later = resolve(*hazard.kernel, hazard.later);
    }
    const bool accepted = suppressions_.match(report.type, report.earlier.source) ||
                          suppressions_.match(report.type, report.later.source);
    if (!accepted) {
      entry->second = reports_.size();
      reports_.push_back(std::move(report));
    }
  }
  if (entry->second != no_report) ++reports_[entry->second].count;
}

void ReportLog::suppress(Suppressions suppressions) {
  const std::lock_guard lock(mutex_);
  suppressions_ = std::move(suppressions);
}

std::vector<Report> ReportLog::reports() const {
  const std::lock_guard lock(mutex_);
  return reports_;
}

void ReportLog::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  reports_.clear();
}

} // namespace fmha950::observe
