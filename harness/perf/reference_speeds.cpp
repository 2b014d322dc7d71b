#include "harness/perf/reference_speeds.hpp"

#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

namespace fmha950::harness {

MeasuredElsewhere::MeasuredElsewhere() {
  const workload::CsvTable table(workload::data_directory() / "measured" / "seed_table.csv");
  for (size_t row = 0; row < table.rows(); ++row) {
    const Figure figure{table.text(row, "kernel"), table.positive(row, "tflops")};
    figures_[table.text(row, "case")].push_back(figure);
  }
}

const std::vector<MeasuredElsewhere::Figure>& MeasuredElsewhere::of(std::string_view case_string) const {
  static const std::vector<Figure> none;
  const auto found = figures_.find(case_string);
  return found == figures_.end() ? none : found->second;
}

} // namespace fmha950::harness
