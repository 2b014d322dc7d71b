#include "harness/perf/measured_elsewhere.hpp"

#include "interface/error.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include <charconv>

namespace fmha950::harness {

MeasuredElsewhere::MeasuredElsewhere() {
  const workload::CsvTable table(workload::data_directory() / "measured" / "seed_table.csv");
  for (size_t row = 0; row < table.rows(); ++row) {
    const std::string& text = table.text(row, "tflops");
    Figure figure{table.text(row, "kernel"), 0};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), figure.teraflops);
    if (error != std::errc() || end != text.data() + text.size() || figure.teraflops <= 0)
      throw InvalidInput(table.place(row, "tflops"), text, "must be a number above 0");
    figures_[table.text(row, "case")].push_back(figure);
  }
}

const std::vector<MeasuredElsewhere::Figure>& MeasuredElsewhere::of(std::string_view case_string) const {
  static const std::vector<Figure> none;
  const auto found = figures_.find(case_string);
  return found == figures_.end() ? none : found->second;
}

} // namespace fmha950::harness
