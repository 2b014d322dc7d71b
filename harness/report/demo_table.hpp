#pragma once
// The table of `demo`, which fits a screen: a line for each case, with the implementations that are closest to the reference and
// farthest from it. Records and page have the others.

#include "harness/report/printer.hpp"
#include "harness/report/table_layout.hpp"

namespace fmha950::harness {

// "toolagent, fp8, tensor": trace or operator, type of the keys, how they are quantised and stored.
std::string short_name(const std::string& case_string);

class DemoTable final : public RecordPrinter {
 public:
  explicit DemoTable(std::FILE* out);
  // Records of one case follow each other. Its line is printed when the next one begins, or by close().
  void print(const Record& record) override;
  void close() override { print_case(); }

 private:
  void print_case();

  std::FILE* out_;
  const TableLayout layout_;
  bool heading_printed_ = false;
  std::vector<Record> of_case_;
};

} // namespace fmha950::harness
