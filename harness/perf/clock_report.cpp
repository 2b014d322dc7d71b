// What `device --calibration --clock` prints.
#include "harness/perf/clock_data.hpp"
#include "harness/perf/clock_forms.hpp"

#include <fmt/format.h>
#include <map>
#include <set>

namespace fmha950::harness {

namespace {

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string text_of(const Errors& errors) {
  return fmt::format("{:>7} {:>7} {:>7}", percent(errors.bias), percent(errors.absolute),
                     percent(errors.largest));
}

// How far the constant moves if a series is left out: the jackknife's standard error.
double spread_of(const ClockTerm& term, const ClockData& data) {
  std::set<std::string> names;
  for (const MeasuredLaunch& launch : data.loaded) names.insert(launch.series);
  std::vector<double> values;
  for (const std::string& series : names) {
    ClockData others = data;
    std::erase_if(others.loaded, [&](const MeasuredLaunch& launch) { return launch.series == series; });
    values.push_back(fitted_law(others).*term.constant);
  }
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += std::pow(value - mean, 2);
  return std::sqrt((count - 1) / count * squares);
}

void print_constants(const ClockData& data, const std::vector<NamedLaw>& others, std::FILE* out) {
  const ClockLaw law = fitted_law(data);
  fmt::print(out,
             "time of a clock in ns = sum of constant x share of the GPU's clocks, at least {:.4f}\n{:<16} "
             "{:>8} {:>8} {:>8}",
             1e9 / nominal_hertz, "constant", "fitted", "spread", "in use");
  for (size_t i = 0; i < others.size(); ++i) fmt::print(out, " {:>6}", fmt::format("({})", i + 1));
  fmt::print(out, "\n");
  for (const ClockTerm& term : {idle_term, bf16_term, fp8_term, f8f6f4_term, valu_term}) {
    fmt::print(out, "{:<16} {:>8.3f} {:>8.3f} {:>8.3f}", term.name, law.*term.constant, spread_of(term, data),
               clock_law.*term.constant);
    for (const NamedLaw& other : others) fmt::print(out, " {:>6.3f}", other.law.*term.constant);
    fmt::print(out, "\n");
  }
  fmt::print(out, "spread: standard error by leaving out each of the groups\n");
  for (size_t i = 0; i < others.size(); ++i) fmt::print(out, "({}) {}\n", i + 1, others[i].name);
}

void print_forms(const ClockData& data, std::FILE* out) {
  fmt::print(out,
             "\n{:<20} {:>23}   {:>23}  {:>7} {:>7} {:>7}\n{:<20} {:>7} {:>7} {:>7}   {:>7} {:>7} {:>7}\n",
             "form of the law", "attention, fitted", "group left out", "d128", "d64", "gemm", "", "bias",
             "absolute", "largest", "bias", "absolute", "largest");
  for (const ClockForm& form : clock_forms()) {
    const FormErrors errors = errors_of(data, form, data);
    fmt::print(out, "{:<20} {}   {}  {:>7} {:>7} {:>7}  {}\n", form.name, text_of(errors.fitted),
               text_of(errors.left_out), percent(errors.d128.absolute), percent(errors.d64.absolute),
               percent(errors.gemm.absolute), errors.ruled_out ? "ruled out" : "");
  }
}

void print_assumptions(const ClockData& data, std::FILE* out) {
  fmt::print(out, "\n{:<42} {:>6} {:>6} {:>6} {:>6} {:>6}  {:>23}\n", "fitted again under", "idle", "bf16",
             "fp8", "f8f6f4", "VALU", "attention, left out");
  for (const AssumedClockLaw& assumed : assumed_clock_laws) {
    if (assumed.fitted_under.empty()) continue; // its constants are those of the law
    const ClockData under = read_clock_data(std::string(assumed.fitted_under));
    const ClockLaw law = fitted_law(under);
    const FormErrors errors = errors_of(under, clock_forms().front(), data);
    fmt::print(out, "{:<42} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f}  {}  {}\n", assumed.words, law.idle,
               law.matrix_bf16, law.matrix_fp8, law.matrix_f8f6f4, law.valu, text_of(errors.left_out),
               errors.ruled_out ? "ruled out" : "");
  }
}

void print_rows(const char* heading, const std::vector<LeftOut>& rows, const ClockLaw& law, std::FILE* out) {
  fmt::print(out, "\n{:<20} {:>7} {:>9} {:>8} {:>8} {:>9}\n", heading, "length", "clocks at", "law", "error",
             "left out");
  for (const LeftOut& row : rows)
    fmt::print(out, "{:<20} {:>7} {:>5.0f} MHz {:>4.0f} MHz {:>8} {:>9}\n", row.launch->series,
               row.launch->length, row.launch->clocks / row.launch->seconds / 1e6,
               law.hertz(row.launch->shares) / 1e6, percent(error_of(law, *row.launch)), percent(row.error));
  fmt::print(out, "{:<20} bias, absolute, largest {}\n", "left out", text_of(errors_of(rows)));
}

void print_lengths(const ClockData& measured, std::FILE* out) {
  const std::vector<LeftOut> rows = attention_left_out(measured);
  fmt::print(out, "\nhost's launch, of a synchronised protocol: fitted {:.1f} us, in use {:.1f} us\n",
             1e6 * fitted_host_launch(measured), 1e6 * host_launch_seconds);
  fmt::print(out, "{:<20} {:>7} {:>9} {:>9}\n", "whole time", "length", "measured", "left out");
  std::set<int64_t> lengths;
  for (const LeftOut& row : rows) {
    lengths.insert(row.launch->length);
    fmt::print(out, "{:<20} {:>7} {:>6.0f} us {:>9}\n", row.launch->series, row.launch->length,
               1e6 * (row.launch->seconds + dispatch_seconds), percent(row.error));
  }
  for (const int64_t length : lengths)
    fmt::print(out, "{:<20} bias, absolute, largest {}\n", length,
               text_of(errors_of(rows, [&](const auto& launch) { return launch.length == length; })));
  fmt::print(out, "{:<20} bias, absolute, largest {}\n", "all lengths", text_of(errors_of(rows)));
}

// Leverage: how far the law moves at the rows that are left out of it.
void print_families(const ClockData& data, const ClockLaw& law, std::FILE* out) {
  const std::vector<LeftOut> by_series = left_out(data, series_of), families = left_out(data, family_of);
  fmt::print(out, "\n{:<20} {:>4} {:>7} {:>7} {:>7} {:>9}\n", "left out together", "rows", "bias", "absolute",
             "largest", "leverage");
  const auto print = [&](const std::vector<LeftOut>& rows, const auto& key) {
    std::map<std::string, double> moved;
    for (const LeftOut& row : rows)
      moved[key(*row.launch)] +=
          std::abs(row.law.nanoseconds(row.launch->shares) / law.nanoseconds(row.launch->shares) - 1);
    for (const auto& [value, sum] : moved) {
      const Errors errors =
          errors_of(rows, [&](const MeasuredLaunch& launch) { return key(launch) == value; });
      fmt::print(out, "{:<20} {:>4} {} {:>9}\n", value, errors.rows, text_of(errors),
                 percent(sum / errors.rows));
    }
  };
  print(by_series, series_of);
  print(families, family_of);
  print(gemms_left_out(data), row_of);
  double most = 0;
  for (const MeasuredLaunch& launch : data.loaded)
    most = std::max(most, launch.shares.mall / timing::mall_bytes_per_clock);
  fmt::print(out, "memory-bound: no row of the data, at most {} of what MALL carries\n", percent(most));
}

void print_drawn(const ClockData& data, std::FILE* out) {
  fmt::print(out, "\n{:<20} {:>7} {:>9} {:>9} {:>19}\n", "by attention alone", "length", "measured", "middle",
             "95 % of draws");
  for (const DrawnClock& drawn : gemms_by_attention(data))
    fmt::print(out, "{:<20} {:>7} {:>6.3f} ns {:>6.3f} ns   {:.3f} to {:.3f} ns  {}\n", drawn.launch->series,
               drawn.launch->length, 1e9 * drawn.launch->seconds / drawn.launch->clocks, drawn.middle,
               drawn.low, drawn.high, drawn.is_within() ? "within" : "outside");
  fmt::print(out, "ns of a clock; draws of attention's series with replacement\n");
}

// The same GEMMs by the law in use, and by that of attention alone.
void print_judging_gemms(const ClockData& data, const ClockLaw& law, std::FILE* out) {
  ClockData attention = data;
  std::erase_if(attention.loaded, [](const MeasuredLaunch& launch) { return !is_attention(launch); });
  const ClockLaw of_attention = fitted_law(attention);
  fmt::print(out, "\n{:<22} {:>7} {:>9} {:>8} {:>10}\n", "HipKittens' GEMMs", "length", "clocks at", "error",
             "attention's");
  for (const MeasuredLaunch& launch : read_judging_gemms())
    fmt::print(out, "{:<22} {:>7} {:>5.0f} MHz {:>8} {:>10}\n", launch.series, launch.length,
               launch.clocks / launch.seconds / 1e6, percent(error_of(law, launch)),
               percent(error_of(of_attention, launch)));
  fmt::print(out, "own-l2: each workgroup with a part of L2 for itself, as perf has it\n");
}

// Nothing is fitted to these; V2's clocks are not believed, only shown (docs/timing.md#what-waits-for-memory).
void print_ck(const ClockLaw& law, std::FILE* out) {
  for (const char* kernel : {"V2", "V3"}) {
    const auto warm = read_ck_rows(kernel, "gpu_clocks"), cold = read_ck_rows(kernel, "gpu_clocks_cold");
    fmt::print(out, "\n{:<20} {:>7} {:>9} {:>9}\n", std::string(kernel) + ", fp8, all rows", "length",
               "error", "cold");
    for (size_t i = 0; i < warm.size(); ++i)
      fmt::print(out, "{:<20} {:>7} {:>9} {:>9}\n", warm[i].series, warm[i].length,
                 percent(error_of(law, warm[i])), percent(error_of(law, cold[i])));
  }
}

// What the choice of the host's launch decides.
void print_host_launches(const ClockData& measured, std::FILE* out) {
  fmt::print(out, "\n{:<20} {:>7} {:>7} {:>7}   whole time, all fitted\n", "host's launch", "idle", "bf16",
             "VALU");
  for (const double seconds : {0.0, least_host_launch_seconds, 6e-6, host_launch_seconds}) {
    const ClockLaw law = fitted_law(without_host_launch(measured, seconds));
    std::vector<LeftOut> rows;
    for (const auto* launches : {&measured.small, &measured.loaded})
      for (const MeasuredLaunch& launch : *launches)
        if (is_attention(launch)) rows.push_back({&launch, law, whole_error_of(law, seconds, launch)});
    fmt::print(out, "{:<20} {:>7.3f} {:>7.3f} {:>7.3f}   {}\n", fmt::format("{:.1f} us", 1e6 * seconds),
               law.idle, law.matrix_bf16, law.valu, text_of(errors_of(rows)));
  }
}

} // namespace

bool print_clock_fit(const ClockData& measured, std::FILE* out) {
  const ClockData data = without_host_launch(measured);
  const ClockLaw law = fitted_law(data);
  print_constants(data, other_laws(measured), out);
  print_forms(data, out);
  print_assumptions(data, out);
  print_families(data, law, out);
  print_drawn(data, out);
  print_judging_gemms(data, law, out);
  print_rows("rows of the fit", left_out(data, series_of), law, out);
  print_lengths(measured, out);
  print_rows("V3, fp8", v3_left_out(data), law, out);
  ClockLaw of_bf16 = law;
  of_bf16.matrix_fp8 = law.matrix_bf16;
  fmt::print(out, "{:<20} bias, absolute, largest {}\n", "with a bf16 pass",
             text_of(errors_of(seen_by(of_bf16, data.v3))));
  fmt::print(out, "{:<20} bias, absolute, largest {}\n", "fitted", text_of(errors_of(seen_by(law, data.v3))));
  print_ck(law, out);
  print_host_launches(measured, out);
  const std::vector<std::string> broken = broken_limits(measured);
  for (const std::string& limit : broken) fmt::print(out, "broken: {}\n", limit);
  fmt::print(out, "\nthe law {} its limits\n", broken.empty() ? "keeps" : "breaks");
  return broken.empty();
}

} // namespace fmha950::harness
