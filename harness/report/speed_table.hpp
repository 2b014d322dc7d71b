#pragma once
// A table of speeds: one heading; below each case's name its records as they come and what others measured of
// it; at the end the ratios of all pairs. The derived class says whether the speeds are modelled or measured.

#include "harness/perf/measured_elsewhere.hpp"
#include "harness/report/printer.hpp"

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

} // namespace fmha950::harness
