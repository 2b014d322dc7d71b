#pragma once
// The table of `perf` on a GPU:
// one line per case, implementation and state of the caches, all of it measured.

#include "harness/report/speed_ratios.hpp"
#include "harness/report/speed_table.hpp"

namespace fmha950::harness {

class MeasuredTable final : public SpeedTable {
 public:
  using SpeedTable::SpeedTable;

 private:
  void print_heading(const Record& record) override;
  void print_lines(const Record& record) override;
  void print_series(const Record& record, const char* caches, const MeasuredSeries& series);
  void add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) override;
  void print_ratios() override;

  SpeedRatios warm_, cold_;
};

} // namespace fmha950::harness
