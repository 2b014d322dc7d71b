// The law of the clock, fitted to what was measured.
#include "harness/silicon/energy.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {
namespace {

constexpr double near_the_highest = 0.985; // of its clock: a launch that is so fast says nothing of energy

double hertz_of(const MeasuredLaunch& launch) { return launch.clocks / launch.seconds; }

// The law charges bytes from MALL; who comes from HBM has passed it.
MeasuredLaunch with_bytes_beyond_l2(MeasuredLaunch launch) {
  launch.shares.mall += launch.shares.hbm;
  return launch;
}

ClockLaw law_without(const std::vector<ClockTerm>& terms, const std::vector<MeasuredLaunch>& launches,
                     size_t left_out) {
  std::vector<MeasuredLaunch> others = launches;
  if (left_out < others.size()) others.erase(others.begin() + static_cast<ptrdiff_t>(left_out));
  return fitted(clock_law, terms, others);
}

void print_constants(const EnergyFit& fit, std::FILE* out) {
  fmt::print(out,
             "\ntime of a clock in ns = sum of constant x share of the GPU's clocks, fitted to {} launches "
             "that were held "
             "below {:.0f} MHz\n",
             fit.held.size(), near_the_highest * nominal_hertz / 1e6);
  fmt::print(out, "{:<16} {:>8} {:>8} {:>8}\n", "constant", "measured", "error", "program");
  for (const FittedConstant& constant : fit.constants)
    fmt::print(out, "{:<16} {:>8.4g} {:>8.2g} {:>8.4g}  {}\n", constant.term.name, constant.value,
               constant.error, clock_law.*constant.term.constant,
               std::abs(constant.value - clock_law.*constant.term.constant) > 3 * constant.error
                   ? "beyond three errors"
                   : "");
  fmt::print(out, "error: standard, by leaving out each launch in turn. Residual {:.2f} %\n",
             100 * fit.residual);
}

} // namespace

std::vector<MeasuredLaunch> launches_of(const SiliconCheck& check) {
  std::vector<MeasuredLaunch> launches;
  for (const MeasuredEnergy& energy : check.energy) launches.push_back(energy.launch);
  return launches;
}

EnergyFit fitted_to_energy(const std::vector<MeasuredLaunch>& launches) {
  EnergyFit fit{.held = {}, .constants = {}, .law = clock_law};
  for (const MeasuredLaunch& launch : launches)
    if (hertz_of(launch) < near_the_highest * nominal_hertz) fit.held.push_back(with_bytes_beyond_l2(launch));
  std::vector<ClockTerm> terms;
  for (const ClockTerm& term : {idle_term, bf16_term, fp8_term, f8f6f4_term, valu_term, lds_term, mall_term})
    if (!term.share || std::ranges::any_of(fit.held, [&](const MeasuredLaunch& launch) {
          return launch.shares.*term.share > 0;
        }))
      terms.push_back(term);
  fit.determined = fit.held.size() > terms.size();
  if (!fit.determined) return fit;
  fit.law = law_without(terms, fit.held, fit.held.size());
  const auto count = static_cast<double>(fit.held.size());
  std::vector<ClockLaw> without;
  for (size_t i = 0; i < fit.held.size(); ++i) without.push_back(law_without(terms, fit.held, i));
  for (const ClockTerm& term : terms) {
    double mean = 0, squares = 0;
    for (const ClockLaw& law : without) mean += law.*term.constant / count;
    for (const ClockLaw& law : without) squares += std::pow(law.*term.constant - mean, 2);
    fit.constants.push_back({term, fit.law.*term.constant, std::sqrt((count - 1) / count * squares)});
  }
  for (const MeasuredLaunch& launch : fit.held)
    fit.residual += std::pow(error_of(fit.law, launch), 2) / count;
  fit.residual = std::sqrt(fit.residual);
  return fit;
}

void print_energy(const SiliconCheck& check, std::FILE* out) {
  const EnergyFit fit = fitted_to_energy(launches_of(check));
  fmt::print(out, "\n{:<16} {:>6} {:>7} {:>7} {:>6} {:>6} {:>6} {:>9} {:>9}\n", "loop of", "MHz", "matrix",
             "VALU", "LDS", "L2 B", "HBM B", "fitted", "program");
  for (const MeasuredEnergy& energy : check.energy) {
    const MeasuredLaunch launch = with_bytes_beyond_l2(energy.launch);
    const BusyShares& shares = launch.shares;
    fmt::print(out, "{:<16} {:>6.0f} {:>7.2f} {:>7.2f} {:>6.2f} {:>6.0f} {:>6.0f} {:>9} {:>9.0f}  {}\n",
               launch.series, hertz_of(launch) / 1e6,
               shares.matrix_bf16 + shares.matrix_fp8 + shares.matrix_f8f6f4, shares.valu, shares.lds,
               shares.l2, shares.hbm,
               fit.determined ? fmt::format("{:.0f}", fit.law.hertz(shares) / 1e6) : "-",
               clock_law.hertz(shares) / 1e6, energy.settled ? "" : "the clock had not settled");
  }
  if (fit.determined)
    print_constants(fit, out);
  else
    fmt::print(out,
               "{} of {} launches were held below {:.0f} MHz: too few to fit a constant to, and the "
               "program's stay{}\n",
               fit.held.size(), check.energy.size(), near_the_highest * nominal_hertz / 1e6,
               check.environment.embedded ? ". The embedded device's clock is always 2,400 MHz" : "");
}

} // namespace fmha950::harness
