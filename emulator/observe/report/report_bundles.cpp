#include "emulator/observe/report/report_bundles.hpp"

namespace fmha950::observe {
namespace {

std::string opcode_of(const ReportedParty& party) {
  return party.instruction.substr(0, party.instruction.find(' '));
}

// What the host reads has no opcodes: each is a mistake of its own.
std::string key_of(const Report& report) {
  std::string key = std::string(name_of(report.type)) + ' ' + name_of(report.severity) + ' ' + report.kernel +
                    ' ' + opcode_of(report.earlier) + ' ' + opcode_of(report.later);
  return report.earlier.present || report.later.present ? key : key + report.what;
}

} // namespace

std::vector<Report> bundled(std::span<const Report> reports) {
  std::vector<Report> bundles;
  std::map<std::string, size_t> numbers;
  for (const Report& report : reports) {
    const auto [entry, is_new] = numbers.try_emplace(key_of(report), bundles.size());
    if (is_new) bundles.push_back(report);
    Report& bundle = bundles[entry->second];
    if (!is_new) bundle.count += report.count;
    bundle.places.push_back({report.earlier.offset, report.later.offset, report.earlier.source,
                             report.later.source, report.count});
  }
  return bundles;
}

} // namespace fmha950::observe
