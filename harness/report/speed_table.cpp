#include "harness/report/speed_table.hpp"

#include "harness/report/terminal.hpp"

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
    print_result_line(
        out_,
        fmt::format("{:<15} measured elsewhere, MI355X: {:.1f} TFLOP/s", figure.kernel, figure.teraflops), 2);
  add_ratios(of_case_, elsewhere);
  of_case_.clear();
}

void SpeedTable::close() {
  end_case();
  print_ratios();
}

namespace {

constexpr TableColumn measured_columns[] = {
    {"impl", 15, 9},      {"outcome", 12, 9}, {"caches", 6, 9},  {"us", -10, 7},
    {"TFLOP/s", -8, 8},   {"of peak", -7, 5}, {"noise", -7, 6},  {"samples", -7, 3},
    {"throttled", -9, 2}, {"MHz", -9, 4},     {"stopped", 8, 1}, {"variant", 40, 0},
};

std::string percent(double part) { return fmt::format("{:.2g} %", 100 * part); }

} // namespace

MeasuredTable::MeasuredTable(std::FILE* out) : SpeedTable(out), layout_(out, measured_columns) {}

void MeasuredTable::print_heading(const Record& record) {
  print_wrapped(
      out_, fmt::format("measured by events on {}. Caches warm: runs one after the other; cold: overwritten "
                        "before each run. Throttled samples do not count; \"stopped\" says why the series "
                        "ended (docs/timing.md)",
                        record.environment.device));
  layout_.print_heading();
}

void MeasuredTable::print_series(const Record& record, const char* caches, const MeasuredSeries& series) {
  const Measured& measured = *record.measured;
  const bool any = series.samples > 0;
  layout_.print({record.implementation(), std::string(to_string(record.outcome.kind())), caches,
                 any ? fmt::format("{:.2f}", 1e6 * series.seconds) : "-",
                 any ? fmt::format("{:.1f}", measured.teraflops(series)) : "-",
                 any ? percent(measured.of_peak(series)) : "-", any ? percent(series.noise) : "-",
                 fmt::format("{}", series.samples), fmt::format("{}", series.throttled),
                 series.hertz ? fmt::format("{:.0f}", *series.hertz / 1e6) : "unknown",
                 std::string(to_string(series.stopped)), record.variant},
                record.outcome.kind());
}

void MeasuredTable::print_lines(const Record& record) {
  if (!record.measured)
    return layout_.print_without_figures(record.implementation(), record.outcome, record.variant);
  print_series(record, "warm", record.measured->warm);
  print_series(record, "cold", record.measured->cold);
}

void MeasuredTable::add_ratios(const std::vector<Record>& of_case, const Elsewhere&) {
  const auto compare = [&](size_t i, size_t j, MeasuredSeries Measured::* series, SpeedRatios& ratios) {
    const MeasuredSeries &mine = (*of_case[i].measured).*series, &other = (*of_case[j].measured).*series;
    if (mine.samples > 0 && other.samples > 0)
      ratios.add(of_case[i].resolved, of_case[j].resolved, other.seconds / mine.seconds);
  };
  for (size_t i = 0; i < of_case.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!of_case[i].measured || !of_case[j].measured) continue;
      compare(i, j, &Measured::warm, warm_);
      compare(i, j, &Measured::cold, cold_);
    }
}

void MeasuredTable::print_ratios() {
  warm_.print(out_, "measured speed, caches warm");
  cold_.print(out_, "measured speed, caches cold");
}

} // namespace fmha950::harness
