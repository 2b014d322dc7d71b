#pragma once
// What the checks have found in this process: one entry for each pair of code locations, with a count.
// Entries hold text only, so they outlive kernels and modules.

#include "emulator/observe/report/hazard.hpp"
#include "emulator/observe/report/suppressions.hpp"

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace fmha950::observe {

// One side of an entry, resolved: "+0x1a4: ds_read_b128 v[4:7], v0", "attention.hip:120".
struct ReportedParty {
  bool present = false;
  std::string instruction, source;
  uint64_t offset = 0; // from the kernel's entry
  uint64_t workgroup = 0;
  int wave = -1, lane = -1;
};

struct ReportPlace { // a pair of locations; a side that is not there has the offset 0 and no source
  uint64_t earlier = 0, later = 0; // offsets
  std::string earlier_source, later_source;
  uint64_t count = 0;
};

struct Report {
  HazardClass type = HazardClass::register_in_flight;
  Severity severity = Severity::error;
  std::string kernel;
  ReportedParty earlier, later;
  std::string what, missing, usually;
  uint64_t begin = 0, end = 0;
  uint64_t count = 0;              // how often this pair of locations was found
  std::vector<ReportPlace> places; // of a bundle of reports (report_bundles.hpp): all of them
};

class ReportLog final : public HazardSink {
 public:
  void report(Hazard hazard) override; // of kernels that are still loaded
  void suppress(Suppressions suppressions);

  std::vector<Report> reports() const; // in the order of their first sight; suppressed ones are left out
  void clear();

 private:
  // Class and severity, kernel, its name, offsets of both sides. Code objects may have kernels of one name, and what the host
  // finds has an address instead.
  using Key =
      std::tuple<HazardClass, Severity, const loader::Kernel*, std::string, uint64_t, uint64_t, uint64_t>;
  mutable std::mutex mutex_;
  std::map<Key, size_t> entries_; // number in reports_; suppressed ones have none
  std::vector<Report> reports_;
  Suppressions suppressions_;
  static constexpr size_t no_report = ~size_t{0};
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);                // one line
std::string as_sarif(const std::vector<Report>& reports); // SARIF 2.1.0, one run

} // namespace fmha950::observe
