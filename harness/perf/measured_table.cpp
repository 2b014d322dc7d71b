#include "harness/perf/measured_table.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr auto line_form = "  {:<15} {:<12} {:<6} {:>10} {:>8} {:>7} {:>7} {:>7} {:>9} {:>9} {:<8} {}\n";

std::string percent(double part) { return fmt::format("{:.2g} %", 100 * part); }

std::string name_of(const Record& record) {
  return record.resolved.empty() ? record.requested : record.resolved;
}

} // namespace

void MeasuredTable::print_heading(const Record& record) {
  fmt::print(out_,
             "measured by events on {}. Caches warm: runs one after the other; cold: overwritten before each "
             "run.\nThrottled samples do not count; \"stopped\" says why the series ended (docs/timing.md)\n",
             record.environment.device);
  fmt::print(out_, line_form, "impl", "outcome", "caches", "us", "TFLOP/s", "of peak", "noise", "samples",
             "throttled", "MHz", "stopped", "variant");
  heading_printed_ = true;
}

void MeasuredTable::print_series(const Record& record, const char* caches, const MeasuredSeries& series) {
  const Measured& measured = *record.measured;
  const bool any = series.samples > 0;
  fmt::print(out_, line_form, name_of(record), to_string(record.outcome.kind()), caches,
             any ? fmt::format("{:.2f}", 1e6 * series.seconds) : "-",
             any ? fmt::format("{:.1f}", measured.teraflops(series)) : "-",
             any ? percent(measured.of_peak(series)) : "-", any ? percent(series.noise) : "-", series.samples,
             series.throttled, series.hertz ? fmt::format("{:.0f}", *series.hertz / 1e6) : "unknown",
             to_string(series.stopped), record.variant);
}

void MeasuredTable::print(const Record& record) {
  if (!heading_printed_) print_heading(record);
  if (of_case_.empty() || of_case_.front().case_string != record.case_string) {
    end_case();
    fmt::print(out_, "{}\n", record.case_string);
  }
  of_case_.push_back(record);
  if (record.measured) {
    print_series(record, "warm", record.measured->warm);
    print_series(record, "cold", record.measured->cold);
  } else {
    fmt::print(out_, line_form, name_of(record), to_string(record.outcome.kind()), "-", "-", "-", "-", "-",
               "-", "-", "-", "-", record.variant.empty() ? record.outcome.reason() : record.variant);
  }
  std::fflush(out_);
}

void MeasuredTable::end_case() {
  if (of_case_.empty()) return;
  for (const auto& figure : elsewhere_.of(of_case_.front().case_string))
    fmt::print(out_, "  {:<15} measured elsewhere, MI355X: {:.1f} TFLOP/s\n", figure.kernel,
               figure.teraflops);
  const auto compare = [&](size_t i, size_t j, MeasuredSeries Measured::* series, SpeedRatios& ratios) {
    const MeasuredSeries &mine = (*of_case_[i].measured).*series, &other = (*of_case_[j].measured).*series;
    if (mine.samples > 0 && other.samples > 0)
      ratios.add(of_case_[i].resolved, of_case_[j].resolved, other.seconds / mine.seconds);
  };
  for (size_t i = 0; i < of_case_.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!of_case_[i].measured || !of_case_[j].measured) continue;
      compare(i, j, &Measured::warm, warm_);
      compare(i, j, &Measured::cold, cold_);
    }
  of_case_.clear();
}

void MeasuredTable::close() {
  end_case();
  warm_.print(out_, "measured speed, caches warm");
  cold_.print(out_, "measured speed, caches cold");
}

} // namespace fmha950::harness
