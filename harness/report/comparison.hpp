#pragma once
// The table of `compare`: for each case the implementations under each other, beside the reference. Their
// errors are divided by that of the first one that passed.

#include "harness/report/printer.hpp"
#include "harness/report/ratios.hpp"
#include "harness/report/table_layout.hpp"

namespace fmha950::harness {

class Comparison final : public RecordPrinter {
 public:
  explicit Comparison(std::FILE* out);
  // Records of one case follow each other. A case is printed when the next one begins, or by close().
  void print(const Record& record) override;
  // Prints what is left, and over all cases the geometric mean of the ratios of each two that both passed.
  void close() override;

 private:
  void print_case();

  std::FILE* out_;
  const TableLayout layout_;
  std::vector<Record> of_case_;
  std::map<std::pair<std::string, std::string>, GeometricMean> ratios_; // unit, implementation
};

} // namespace fmha950::harness
