#pragma once
// The table of `perf`: one line per case and implementation. All of it modelled.

#include "harness/report/printer.hpp"

namespace fmha950::harness {

class PerformanceTable final : public RecordPrinter {
 public:
  explicit PerformanceTable(std::FILE* out) : out_(out) {}
  void print(const Record& record) override;

 private:
  std::FILE* out_;
  bool heading_printed_ = false;
};

} // namespace fmha950::harness
