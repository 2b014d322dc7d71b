#pragma once
// What the checks have found in this process: one report for each pair of code locations, with a count.

#include "emulator/observe/report/function_places.hpp"
#include "emulator/observe/report/report.hpp"

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace fmha950::observe {

class ReportLog final : public HazardSink {
 public:
  void report(Hazard hazard) override; // of kernels that are still loaded
  void unloading();                    // some kernel that hazards named

  std::vector<Report> reports() const; // in the order of their first sight
  void clear();

 private:
  // Class and severity, kernel, its name, offsets of both sides. Code objects may have kernels of one name, and what the host
  // finds has an address instead.
  using Key =
      std::tuple<HazardClass, Severity, const loader::Kernel*, std::string, uint64_t, uint64_t, uint64_t>;
  struct Place { // of an instruction; the function is null if the code has not been decoded
    const FunctionPlaces* function = nullptr;
    size_t index = 0;
  };
  Place place_of(const loader::Kernel& kernel, uint64_t address);
  ReportedParty resolve(const loader::Kernel& kernel, const Party& party, const Place& place) const;

  mutable std::mutex mutex_;
  std::map<Key, size_t> entries_; // number in reports_
  std::vector<Report> reports_;
  std::map<std::pair<const loader::Kernel*, const isa::Program::Block*>, FunctionPlaces> functions_;
};

} // namespace fmha950::observe
