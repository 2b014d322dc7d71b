#pragma once
// Records as rows of a table, for a terminal and in Markdown: what a reader compares first. Everything else is
// in the JSON form.

#include "harness/report/printer.hpp"
#include "harness/report/ratios.hpp"
#include "harness/report/table_layout.hpp"

namespace fmha950::harness {

std::unique_ptr<RecordPrinter> make_table_printer(std::FILE* out);
std::unique_ptr<RecordPrinter> make_markdown_printer(std::FILE* out);

// The largest share of a limit that the kernel's error takes: "80 %", "-" without limits.
std::string of_limit(const Verdict& verdict);
std::string figure(double value); // three digits
// A figure of the kernel's output; "-" where no element of it is a number.
std::string output_figure(const Verdict& verdict, double ErrorMetrics::* metric);

// The table of `accuracy --audit`: under each result the parts of its keys that stood out most, failed or not.
class AuditTable final : public RecordPrinter {
 public:
  explicit AuditTable(std::FILE* out) : out_(out), results_(make_printer(OutputForm::table, out)) {}
  void print(const Record& record) override;

 private:
  std::FILE* out_;
  std::unique_ptr<RecordPrinter> results_;
};

// The table of `compare`: for each case the implementations under each other, beside the reference. Their
// errors are divided by that of the first one that passed.
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
