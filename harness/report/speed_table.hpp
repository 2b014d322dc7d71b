#pragma once
// Tables of speeds: one heading; below each case's name its records as they come and what others measured of
// it; at the end the ratios of all pairs.

#include "harness/perf/reference_speeds.hpp"
#include "harness/report/printer.hpp"
#include "harness/report/ratios.hpp"
#include "harness/report/table_layout.hpp"

namespace fmha950::harness {

class SpeedTable : public RecordPrinter {
 public:
  explicit SpeedTable(std::FILE* out) : out_(out) {}
  void print(const Record& record) final;
  void close() final;

 protected:
  using Elsewhere = std::vector<MeasuredElsewhere::Figure>;
  virtual void print_heading(const Record& record) = 0;
  virtual void print_lines(const Record& record) = 0;
  virtual void add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) = 0;
  virtual void print_ratios() = 0;

  std::FILE* const out_;

 private:
  void end_case();

  MeasuredElsewhere elsewhere_;
  bool heading_printed_ = false;
  std::vector<Record> of_case_;
};

// `perf` on the embedded device: one line per case and implementation, all of it modelled. `explain`: below it what moves its
// time, and its energy stack.
class PerformanceTable final : public SpeedTable {
 public:
  PerformanceTable(std::FILE* out, bool explain);

 private:
  void print_heading(const Record& record) override;
  void print_lines(const Record& record) override;
  void add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) override;
  void print_ratios() override;

  const TableLayout layout_;
  const bool explain_;
  ModelledRatios modelled_, against_measured_;
};

// `perf` on a GPU: one line per case, implementation and state of the caches, all of it measured.
class MeasuredTable final : public SpeedTable {
 public:
  explicit MeasuredTable(std::FILE* out);

 private:
  void print_heading(const Record& record) override;
  void print_lines(const Record& record) override;
  void print_series(const Record& record, const char* caches, const MeasuredSeries& series);
  void add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) override;
  void print_ratios() override;

  const TableLayout layout_;
  SpeedRatios warm_, cold_;
};

} // namespace fmha950::harness
