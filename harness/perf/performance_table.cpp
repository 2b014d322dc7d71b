#include "harness/perf/performance_table.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr auto line_form =
    "{:<13} {:<12} {:>9} {:>9} {:>9} {:>7} {:>6} {:>5} {:>5} {:>5} {:>8}  {:<40} {:<30} {}\n";

double share(const ModelledLaunch& launch, const char* unit) {
  for (const auto& [name, value] : launch.busy)
    if (name == unit) return value;
  return 0;
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

} // namespace

void PerformanceTable::print(const Record& record) {
  if (!heading_printed_) {
    fmt::print(out_, "modelled by the embedded device's cycle model, not measured (docs/timing.md)\n");
    fmt::print(out_, line_form, "impl", "outcome", "TFLOP/s", "us", "clk/tile", "per CU", "matrix", "valu",
               "lds", "bound", "sampling", "waits of the longest launch", "variant", "case");
  }
  heading_printed_ = true;
  const std::string name = record.resolved.empty() ? record.requested : record.resolved;
  if (record.modelled) {
    const Modelled& modelled = *record.modelled;
    const ModelledLaunch& launch = modelled.longest();
    fmt::print(
        out_, line_form, name, to_string(record.outcome.kind()),
        fmt::format("{:.1f}", modelled.teraflops(nominal_hertz)),
        fmt::format("{:.1f}", 1e6 * modelled.seconds(nominal_hertz)),
        fmt::format("{:.0f}", modelled.clocks_per_tile()), launch.resident, percent(share(launch, "matrix")),
        percent(share(launch, "valu")), percent(share(launch, "lds")), percent(bound_of(launch).second),
        "+-" + percent(launch.sampling_error), largest_waits(launch, 3), record.variant, record.case_string);
  } else {
    fmt::print(out_, line_form, name, to_string(record.outcome.kind()), "-", "-", "-", "-", "-", "-", "-",
               "-", "-", record.outcome.reason(), record.variant, record.case_string);
  }
  std::fflush(out_);
}

} // namespace fmha950::harness
