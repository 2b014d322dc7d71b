#pragma once
// The table of `perf`: one line per case and implementation, all of it modelled; below each case what others
// measured of it, and at the end the ratios of all pairs.

#include "harness/perf/measured_elsewhere.hpp"
#include "harness/perf/speed_ratios.hpp"
#include "harness/report/printer.hpp"

namespace fmha950::harness {

class PerformanceTable final : public RecordPrinter {
 public:
  explicit PerformanceTable(std::FILE* out) : out_(out) {}
  void print(const Record& record) override;
  void close() override;

 private:
  void print_heading();
  void print_line(const Record& record);
  void end_case();

  std::FILE* out_;
  MeasuredElsewhere measured_;
  bool heading_printed_ = false;
  std::vector<Record> of_case_;
  SpeedRatios modelled_, against_measured_;
};

} // namespace fmha950::harness
