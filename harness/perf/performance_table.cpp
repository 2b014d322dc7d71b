#include "harness/perf/performance_table.hpp"

#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr auto line_form =
    "  {:<15} {:<12} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}  {:<44} {}\n";

double share(const ModelledLaunch& launch, const char* unit) {
  for (const auto& [name, value] : launch.busy)
    if (name == unit) return value;
  return 0;
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

} // namespace

void PerformanceTable::Ratio::add(double ratio) {
  log_sum += std::log(ratio);
  least = cases == 0 ? ratio : std::min(least, ratio);
  ++cases;
}

void PerformanceTable::print_heading() {
  fmt::print(
      out_,
      "modelled by the embedded device's cycle model, not measured (docs/timing.md). TFLOP/s at 2400 MHz and "
      "at "
      "{:.0f} MHz,\nthe clock under matrix load that published GEMMs were fitted to; us at the latter\n",
      effective_hertz / 1e6);
  fmt::print(out_, line_form, "impl", "outcome", "nominal", "effect.", "us", "clk/tile", "per CU", "matrix",
             "valu", "lds", "bound", "sampling", "waits of the longest launch", "variant");
  heading_printed_ = true;
}

void PerformanceTable::print_line(const Record& record) {
  const std::string name = record.resolved.empty() ? record.requested : record.resolved;
  if (!record.modelled) {
    fmt::print(out_, line_form, name, to_string(record.outcome.kind()), "-", "-", "-", "-", "-", "-", "-",
               "-", "-", "-", record.variant, record.outcome.reason());
    return;
  }
  const Modelled& modelled = *record.modelled;
  const ModelledLaunch& launch = modelled.longest();
  const std::optional<double> error = modelled.sampling_error();
  fmt::print(out_, line_form, name, to_string(record.outcome.kind()),
             fmt::format("{:.1f}", modelled.teraflops(nominal_hertz)),
             fmt::format("{:.1f}", modelled.teraflops(effective_hertz)),
             fmt::format("{:.1f}", 1e6 * modelled.seconds(effective_hertz)),
             fmt::format("{:.0f}", modelled.clocks_per_tile()), launch.resident,
             percent(share(launch, "matrix")), percent(share(launch, "valu")), percent(share(launch, "lds")),
             percent(bound_of(launch).second), error ? "+-" + percent(*error) : "-", largest_waits(launch, 3),
             record.variant);
}

void PerformanceTable::print(const Record& record) {
  if (!heading_printed_) print_heading();
  if (of_case_.empty() || of_case_.front().case_string != record.case_string) {
    end_case();
    fmt::print(out_, "{}\n", record.case_string);
  }
  of_case_.push_back(record);
  print_line(record);
  std::fflush(out_);
}

void PerformanceTable::end_case() {
  if (of_case_.empty()) return;
  const auto& measured = measured_.of(of_case_.front().case_string);
  for (const auto& figure : measured)
    fmt::print(out_, "  {:<15} measured elsewhere, MI355X: {:.1f} TFLOP/s\n", figure.kernel,
               figure.teraflops);
  for (size_t i = 0; i < of_case_.size(); ++i) {
    if (!of_case_[i].modelled) continue;
    const Modelled& modelled = *of_case_[i].modelled;
    for (const auto& figure : measured)
      against_measured_[{of_case_[i].resolved, figure.kernel}].add(modelled.teraflops(effective_hertz) /
                                                                   figure.teraflops);
    for (size_t j = 0; j < i; ++j)
      if (of_case_[j].modelled)
        modelled_[{of_case_[i].resolved, of_case_[j].resolved}].add(
            of_case_[j].modelled->seconds(effective_hertz) / modelled.seconds(effective_hertz));
  }
  of_case_.clear();
}

void PerformanceTable::print_ratios(const std::map<Pair, Ratio>& ratios, const char* what) const {
  for (const auto& [names, ratio] : ratios)
    fmt::print(out_, "{} / {}, {}: geometric mean {:.3f}, least {:.3f}, of {} cases\n", names.first,
               names.second, what, std::exp(ratio.log_sum / ratio.cases), ratio.least, ratio.cases);
}

void PerformanceTable::close() {
  end_case();
  print_ratios(modelled_, "modelled speed");
  print_ratios(against_measured_, "modelled speed at the effective clock to measured elsewhere");
}

} // namespace fmha950::harness
