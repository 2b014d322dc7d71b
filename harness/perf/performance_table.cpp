#include "harness/perf/performance_table.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr auto line_form =
    "  {:<15} {:<12} {:>10} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>8}  {:<32} {:<44} {:<48} {}\n";

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

// "l1 1.61 GB, l2 403 MB"; levels that served nothing are left out.
std::string amounts(const Named& bytes) {
  std::string text;
  for (const auto& [level, amount] : bytes) {
    if (amount == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level,
                        amount >= 1e9   ? fmt::format("{:.3g} GB", amount / 1e9)
                        : amount >= 1e6 ? fmt::format("{:.3g} MB", amount / 1e6)
                                        : fmt::format("{:.3g} kB", amount / 1e3));
  }
  return text;
}

} // namespace

void PerformanceTable::print_heading() {
  fmt::print(
      out_,
      "modelled by the embedded device's cycle model, not measured (docs/timing.md). Clocks of the GPU; "
      "TFLOP/s "
      "at 2400 MHz and at {:.0f} MHz,\nthe clock under matrix load that published GEMMs were fitted to; us "
      "at "
      "the latter. peak: of the matrix units' FLOP for the types of Q, K and V;\nbusy and waits: of the "
      "longest launch's compute units and waves; bytes: that each level served\n",
      effective_hertz / 1e6);
  fmt::print(out_, line_form, "impl", "outcome", "clocks", "clk/tile", "nominal", "effect.", "us", "peak",
             "per CU", "sampling", "busy", "waits", "bytes", "variant");
  heading_printed_ = true;
}

void PerformanceTable::print_line(const Record& record) {
  const std::string name = record.resolved.empty() ? record.requested : record.resolved;
  if (!record.modelled) {
    fmt::print(out_, line_form, name, to_string(record.outcome.kind()), "-", "-", "-", "-", "-", "-", "-",
               "-", record.variant, record.outcome.reason(), "", "");
    return;
  }
  const Modelled& modelled = *record.modelled;
  const ModelledLaunch& launch = modelled.longest();
  const std::optional<double> error = modelled.sampling_error();
  fmt::print(out_, line_form, name, to_string(record.outcome.kind()),
             fmt::format("{:.0f}", modelled.clocks()), fmt::format("{:.0f}", modelled.clocks_per_tile()),
             fmt::format("{:.1f}", modelled.teraflops(nominal_hertz)),
             fmt::format("{:.1f}", modelled.teraflops(effective_hertz)),
             fmt::format("{:.1f}", 1e6 * modelled.seconds(effective_hertz)),
             percent(modelled.matrix_fraction()), launch.resident, error ? "+-" + percent(*error) : "-",
             largest(launch.busy, 3), largest(waits(launch), 3), amounts(modelled.bytes()), record.variant);
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
      against_measured_.add(of_case_[i].resolved, figure.kernel,
                            modelled.teraflops(effective_hertz) / figure.teraflops);
    for (size_t j = 0; j < i; ++j)
      if (of_case_[j].modelled)
        modelled_.add(of_case_[i].resolved, of_case_[j].resolved,
                      of_case_[j].modelled->seconds(effective_hertz) / modelled.seconds(effective_hertz));
  }
  of_case_.clear();
}

void PerformanceTable::close() {
  end_case();
  modelled_.print(out_, "modelled speed");
  against_measured_.print(out_, "modelled speed at the effective clock to measured elsewhere");
}

} // namespace fmha950::harness
