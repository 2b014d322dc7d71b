
#include "harness/report/record_table.hpp"
#include "harness/report/terminal.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr TableColumn comparison_columns[] = {
    {"impl", 15, 9},     {"outcome", 13, 9},     {"max abs", -9, 3},  {"rmse", -9, 6},
    {"of limit", -8, 8}, {"rmse ratio", -10, 7}, {"total L2", -9, 5}, {"workspace", -10, 2},
    {"plan ms", -8, 1},  {"variant", 40, 4},
};

bool passed(const Record& record) { return record.accuracy && record.outcome.kind() == OutcomeKind::passed; }

double rmse(const Record& record) { return record.accuracy->verdict.kernel.rmse; }

std::string workspace(const Record& record) {
  if (!record.workspace_bytes) return "-";
  return fmt::format("{:.1f} MiB", static_cast<double>(*record.workspace_bytes) / (1 << 20));
}

// Without errors of both there is no ratio: a kernel may be exact.
std::optional<double> ratio(const Record& record, const Record* unit) {
  if (unit == nullptr || !passed(record) || rmse(record) == 0 || rmse(*unit) == 0) return std::nullopt;
  return rmse(record) / rmse(*unit);
}

} // namespace

Comparison::Comparison(std::FILE* out) : out_(out), layout_(out, comparison_columns) {}

void Comparison::print(const Record& record) {
  if (!of_case_.empty() && of_case_.front().case_string != record.case_string) print_case();
  of_case_.push_back(record);
}

void Comparison::print_case() {
  if (of_case_.empty()) return;
  fmt::print(out_, "{}\n", of_case_.front().case_string);
  layout_.print_heading();
  const auto judged = std::find_if(of_case_.begin(), of_case_.end(), passed);
  const Record* const unit = judged == of_case_.end() ? nullptr : &*judged;
  if (unit != nullptr) // its only error is that of the inputs' quantisation
    layout_.print({"reference", "exact", "-", "-", "-", "-",
                   unit->accuracy->quantisation ? figure(unit->accuracy->quantisation->relative_l2) : "-",
                   "-", "-", "float64 on the dequantised inputs"});
  for (const Record& record : of_case_) {
    const auto& accuracy = record.accuracy;
    const auto relative = ratio(record, unit);
    if (relative && &record != unit) ratios_[{unit->resolved, record.resolved}].add(*relative);
    layout_.print(
        {record.implementation(), std::string(to_string(record.outcome.kind())),
         accuracy ? output_figure(accuracy->verdict, &ErrorMetrics::max_abs) : "-",
         accuracy ? output_figure(accuracy->verdict, &ErrorMetrics::rmse) : "-",
         accuracy ? of_limit(accuracy->verdict) : "-", relative ? fmt::format("{:.3f}", *relative) : "-",
         accuracy && accuracy->total ? figure(accuracy->total->relative_l2) : "-", workspace(record),
         record.planning_ms ? fmt::format("{:.2f}", *record.planning_ms) : "-", record.variant},
        record.outcome.kind());
    layout_.print_reason(record.outcome);
  }
  std::fflush(out_);
  of_case_.clear();
}

void Comparison::close() {
  print_case();
  for (const auto& [names, ratio] : ratios_)
    print_result_line(out_, fmt::format("rmse of {} / {}: geometric mean {:.3f} over {} cases", names.second,
                                        names.first, ratio.value(), ratio.count()));
}

} // namespace fmha950::harness
