#include "harness/report/speed_table.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

void SpeedTable::print(const Record& record) {
  if (!heading_printed_) print_heading(record);
  heading_printed_ = true;
  if (of_case_.empty() || of_case_.front().case_string != record.case_string) {
    end_case();
    fmt::print(out_, "{}\n", record.case_string);
  }
  of_case_.push_back(record);
  print_lines(record);
  std::fflush(out_);
}

void SpeedTable::end_case() {
  if (of_case_.empty()) return;
  const Elsewhere& elsewhere = elsewhere_.of(of_case_.front().case_string);
  for (const auto& figure : elsewhere)
    fmt::print(out_, "  {:<15} measured elsewhere, MI355X: {:.1f} TFLOP/s\n", figure.kernel,
               figure.teraflops);
  add_ratios(of_case_, elsewhere);
  of_case_.clear();
}

void SpeedTable::close() {
  end_case();
  print_ratios();
}

} // namespace fmha950::harness
