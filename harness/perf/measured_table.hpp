#pragma once
// The table of `perf` on a GPU: one line per case, implementation and state of the caches, all of it
// measured; below each case what others measured of it, and at the end the ratios of all pairs.

#include "harness/perf/measured_elsewhere.hpp"
#include "harness/perf/speed_ratios.hpp"
#include "harness/report/printer.hpp"

namespace fmha950::harness {

class MeasuredTable final : public RecordPrinter {
 public:
  explicit MeasuredTable(std::FILE* out) : out_(out) {}
  void print(const Record& record) override;
  void close() override;

 private:
  void print_heading(const Record& record);
  void print_series(const Record& record, const char* caches, const MeasuredSeries& series);
  void end_case();

  std::FILE* out_;
  MeasuredElsewhere elsewhere_;
  bool heading_printed_ = false;
  std::vector<Record> of_case_;
  SpeedRatios warm_, cold_;
};

} // namespace fmha950::harness
