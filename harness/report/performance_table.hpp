#pragma once
// The table of `perf`: one line per case and implementation, all of it modelled.

#include "harness/report/speed_ratios.hpp"
#include "harness/report/speed_table.hpp"

namespace fmha950::harness {

class PerformanceTable final : public SpeedTable {
 public:
  using SpeedTable::SpeedTable;

 private:
  void print_heading(const Record& record) override;
  void print_lines(const Record& record) override;
  void add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) override;
  void print_ratios() override;

  SpeedRatios modelled_, against_measured_;
};

} // namespace fmha950::harness
