#pragma once
// The table of `accuracy --audit`:
// under each result the parts of its keys that stood out most, failed or not.

#include "harness/report/printer.hpp"

namespace fmha950::harness {

class AuditTable final : public RecordPrinter {
 public:
  explicit AuditTable(std::FILE* out) : out_(out), results_(make_printer(OutputForm::table, out)) {}
  void print(const Record& record) override;

 private:
  std::FILE* out_;
  std::unique_ptr<RecordPrinter> results_;
};

} // namespace fmha950::harness
