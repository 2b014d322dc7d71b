#include "harness/report/speed_table.hpp"

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

void PerformanceTable::print_heading(const Record&) {
  fmt::print(
      out_,
      "modelled by the embedded device's cycle model, not measured (docs/timing.md). Clocks of the GPU; "
      "TFLOP/s at 2400 MHz and at {:.0f} MHz,\n"
      "the clock under matrix load that published GEMMs were fitted to; us at the latter. "
      "peak: of the matrix units' FLOP for the types of Q, K and V;\n"
      "busy and waits: of the longest launch's compute units and waves; bytes: that each level served\n",
      effective_hertz / 1e6);
  fmt::print(out_, line_form, "impl", "outcome", "clocks", "clk/tile", "nominal", "effect.", "us", "peak",
             "per CU", "sampling", "busy", "waits", "bytes", "variant");
}

void PerformanceTable::print_lines(const Record& record) {
  const std::string& name = record.implementation();
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

void PerformanceTable::add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) {
  for (size_t i = 0; i < of_case.size(); ++i) {
    if (!of_case[i].modelled) continue;
    const Modelled& modelled = *of_case[i].modelled;
    for (const auto& figure : elsewhere)
      against_measured_.add(of_case[i].resolved, figure.kernel,
                            modelled.teraflops(effective_hertz) / figure.teraflops);
    for (size_t j = 0; j < i; ++j)
      if (of_case[j].modelled)
        modelled_.add(of_case[i].resolved, of_case[j].resolved,
                      of_case[j].modelled->seconds(effective_hertz) / modelled.seconds(effective_hertz));
  }
}

void PerformanceTable::print_ratios() {
  modelled_.print(out_, "modelled speed");
  against_measured_.print(out_, "modelled speed at the effective clock to measured elsewhere");
}

} // namespace fmha950::harness
