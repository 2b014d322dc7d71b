#include "harness/perf/modelled_time.hpp"
#include "harness/report/speed_table.hpp"
#include "harness/report/terminal.hpp"

#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr TableColumn performance_columns[] = {
    {"impl", 15, 9},     {"outcome", 12, 9},      {"clocks", -10, 5}, {"clk/tile", -8, 4}, {"MHz", -5, 4},
    {"TFLOP/s", -8, 8},  {"low to high", -18, 7}, {"us", -8, 6},      {"peak", -6, 5},     {"per CU", -6, 2},
    {"sampling", -8, 4}, {"busy", 33, 3},         {"waits", 44, 1},   {"bytes", 48, 0},    {"variant", 40, 2},
};

std::string whole_percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

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

// "without d64 +7.9 %, lds128 +0.4 %": what changes the time by a thousandth or more.
std::string movers(const Modelled& modelled) {
  std::string text;
  for (const auto& [name, factor] : influences_on(modelled))
    if (std::abs(factor - 1) >= 0.001)
      text += fmt::format("{}{} {:+.1f} %", text.empty() ? "" : ", ", name, 100 * (factor - 1));
  return text.empty() ? "nothing by a thousandth" : text;
}

// "1079, of which idle 389, matrix_f8f6f4 413, valu 277"
std::string energies(const Modelled& modelled) {
  double sum = 0;
  std::string text;
  for (const auto& [part, nanoseconds] : energy_stack_of(modelled)) {
    sum += nanoseconds;
    if (nanoseconds >= 0.5) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", part, nanoseconds);
  }
  return fmt::format("{:.0f}, of which {}", sum, text);
}

} // namespace

PerformanceTable::PerformanceTable(std::FILE* out, bool explain)
    : SpeedTable(out), layout_(out, performance_columns), explain_(explain) {}

void PerformanceTable::print_heading(const Record&) {
  print_wrapped(
      out_,
      "modelled by the embedded device's cycle model, not measured (docs/timing.md). Clocks of the GPU; "
      "MHz: the clock that the work allows; TFLOP/s and us at it, with what the law of the clock and "
      "sampling leave open. peak: of the matrix units' FLOP for the types of Q, K and V; busy and "
      "waits: of the longest launch's compute units and waves; bytes: that each level served. "
      "?: too few workgroups were followed to know the sampling error; these ends lack it");
  layout_.print_heading();
}

void PerformanceTable::print_lines(const Record& record) {
  if (!record.modelled)
    return layout_.print_without_figures(record.implementation(), record.outcome, record.variant);
  const Modelled& modelled = *record.modelled;
  const ModelledLaunch& launch = modelled.longest();
  const Range teraflops = teraflops_of(modelled);
  const std::optional<double> error = modelled.sampling_error();
  layout_.print({record.implementation(), std::string(to_string(record.outcome.kind())),
                 fmt::format("{:.0f}", modelled.clocks()), fmt::format("{:.0f}", modelled.clocks_per_tile()),
                 fmt::format("{:.0f}", hertz_of(modelled) / 1e6), fmt::format("{:.1f}", teraflops.best),
                 ends_of(teraflops, 1), fmt::format("{:.1f}", 1e6 * seconds_of(modelled).best),
                 whole_percent(modelled.matrix_fraction()), fmt::format("{}", launch.resident),
                 error ? "+-" + whole_percent(*error) : "-", largest(launch.busy, 3),
                 largest(waits(launch), 3), amounts(modelled.bytes()), record.variant},
                record.outcome.kind());
  if (!explain_) return;
  constexpr int below_the_row = 4;
  print_result_line(out_, fmt::format("time moved by: {}", movers(modelled)), below_the_row);
  print_result_line(out_, fmt::format("ns of a CU for a tile of 256 x 64 x 128: {}", energies(modelled)),
                    below_the_row);
}

void PerformanceTable::add_ratios(const std::vector<Record>& of_case, const Elsewhere& elsewhere) {
  for (size_t i = 0; i < of_case.size(); ++i) {
    if (!of_case[i].modelled) continue;
    const Modelled& modelled = *of_case[i].modelled;
    for (const auto& figure : elsewhere)
      against_measured_.add(of_case[i].resolved, figure.kernel, speed_of(modelled, figure.teraflops));
    for (size_t j = 0; j < i; ++j)
      if (of_case[j].modelled)
        modelled_.add(of_case[i].resolved, of_case[j].resolved, speed_of(modelled, *of_case[j].modelled));
  }
}

void PerformanceTable::print_ratios() {
  modelled_.print(out_, "modelled speed");
  against_measured_.print(out_, "modelled speed to measured elsewhere");
}

} // namespace fmha950::harness
