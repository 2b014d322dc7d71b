#include "harness/report/comparison.hpp"

#include "harness/report/record_table.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr auto comparison_line = "  {:<15} {:<13} {:>9} {:>9} {:>8} {:>10} {:>9} {:>10} {:>8}  {}\n";

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

void Comparison::print(const Record& record) {
  if (!of_case_.empty() && of_case_.front().case_string != record.case_string) print_case();
  of_case_.push_back(record);
}

void Comparison::print_case() {
  if (of_case_.empty()) return;
  fmt::print(out_, "{}\n", of_case_.front().case_string);
  fmt::print(out_, comparison_line, "impl", "outcome", "max abs", "rmse", "of limit", "rmse ratio",
             "total L2", "workspace", "plan ms", "variant");
  const auto judged = std::find_if(of_case_.begin(), of_case_.end(), passed);
  const Record* const unit = judged == of_case_.end() ? nullptr : &*judged;
  if (unit != nullptr) // its only error is that of the inputs' quantisation
    fmt::print(out_, comparison_line, "reference", "exact", "-", "-", "-", "-",
               unit->accuracy->quantisation ? figure(unit->accuracy->quantisation->relative_l2) : "-", "-",
               "-", "float64 on the dequantised inputs");
  for (const Record& record : of_case_) {
    const std::string& name = record.implementation();
    const auto& accuracy = record.accuracy;
    const auto relative = ratio(record, unit);
    if (relative && &record != unit) ratios_[{unit->resolved, record.resolved}].add(*relative);
    fmt::print(out_, comparison_line, name, to_string(record.outcome.kind()),
               accuracy ? output_figure(accuracy->verdict, &ErrorMetrics::max_abs) : "-",
               accuracy ? output_figure(accuracy->verdict, &ErrorMetrics::rmse) : "-",
               accuracy ? of_limit(accuracy->verdict) : "-",
               relative ? fmt::format("{:.3f}", *relative) : "-",
               accuracy && accuracy->total ? figure(accuracy->total->relative_l2) : "-", workspace(record),
               record.planning_ms ? fmt::format("{:.2f}", *record.planning_ms) : "-",
               record.outcome.reason().empty() ? record.variant : record.outcome.reason());
  }
  std::fflush(out_);
  of_case_.clear();
}

void Comparison::close() {
  print_case();
  for (const auto& [names, ratio] : ratios_)
    fmt::print(out_, "rmse of {} / {}: geometric mean {:.3f} over {} cases\n", names.second, names.first,
               ratio.value(), ratio.count());
}

} // namespace fmha950::harness
