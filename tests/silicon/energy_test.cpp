// Energy by kind of instruction: what loops keep busy is known by their counts, and a law that made their times is found again.
#include "calibration/energy.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "harness/silicon/energy.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// What the slowest unit of a CU needs for an iteration, if the others hide behind it.
double least_clocks(const EnergyItem& item) {
  const BusyShares of_one = shares_by_counts(item, 1, 1, compute_units);
  const double bytes = (of_one.l2 + of_one.hbm) / compute_units;
  return std::max({of_one.matrix_bf16, of_one.matrix_fp8, of_one.matrix_f8f6f4, of_one.valu, of_one.lds,
                   bytes / 64, 100.0});
}

// Loops as a GPU with this law would have run them, times off by `noise`.
std::vector<MeasuredLaunch> launches_by(const ClockLaw& law, double noise) {
  std::mt19937 random(26);
  std::normal_distribution<double> off(1, noise);
  std::vector<MeasuredLaunch> launches;
  for (const EnergyItem& item : energy_items()) {
    const std::string name(item.kernel);
    const double idle = name.ends_with("nop1") ? 1.4 : name.ends_with("nop2") ? 2.5 : 1.06;
    MeasuredLaunch launch{.series = name, .clocks = 1e6 * idle * least_clocks(item)};
    launch.shares = shares_by_counts(item, 1000000, launch.clocks, compute_units);
    BusyShares charged = launch.shares;
    charged.mall += charged.hbm;
    launch.seconds = 1e-9 * launch.clocks * law.nanoseconds(charged) * off(random);
    launches.push_back(launch);
  }
  return launches;
}

const FittedConstant* constant_of(const EnergyFit& fit, const ClockTerm& term) {
  const auto found = std::ranges::find(fit.constants, term.constant,
                                       [](const FittedConstant& each) { return each.term.constant; });
  return found == fit.constants.end() ? nullptr : &*found;
}

constexpr ClockLaw planted{.idle = 0.25,
                           .matrix_bf16 = 0.40,
                           .matrix_fp8 = 0.30,
                           .matrix_f8f6f4 = 0.45,
                           .valu = 0.12,
                           .lds = 0.06,
                           .mall = 1e-5};
const ClockTerm terms[] = {idle_term, bf16_term, fp8_term, f8f6f4_term, valu_term, lds_term, mall_term};

} // namespace

TEST_CASE("energy: the shares by counts are those that the model sees") {
  for (const char* kernel :
       {"bf16", "bf16_fma4", "bf16_exp2", "fp8_lds1", "f8f6f4_fma4", "pk_fma", "cvt", "lds", "idle_nop"}) {
    CAPTURE(kernel);
    constexpr uint32_t iterations = 16;
    const calibration::Energy energy(kernel, compute_units, 64 << 10);
    const std::vector<uint32_t> only = {0, 255};
    const TimingInForce timing("samples");
    energy.launch(iterations, &only);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    const ModelledLaunch modelled = modelled_of(hip::api().Timings(), 1).launches.at(0);
    const BusyShares seen = busy_shares_of(modelled),
                     counted = shares_by_counts({kernel, ""}, iterations, modelled.clocks, compute_units);
    for (const auto share :
         {&BusyShares::matrix_bf16, &BusyShares::matrix_fp8, &BusyShares::matrix_f8f6f4, &BusyShares::lds})
      CHECK(counted.*share == Approx(seen.*share).margin(0.02)); // what comes before the loop
    CHECK(counted.valu == Approx(seen.valu).margin(0.03));
  }
}

TEST_CASE("energy: the embedded device runs each loop at 2,400 MHz, and nothing is fitted to it") {
  set_option("schedule", "timed");
  std::vector<MeasuredLaunch> launches;
  for (const EnergyItem& item : energy_items()) {
    CAPTURE(item.kernel);
    const MeasuredEnergy energy = run_energy(item, compute_units);
    CHECK(energy.launch.clocks / energy.launch.seconds == Approx(nominal_hertz).epsilon(0.005));
    CHECK(energy.chiplet_hertz.size() == 2);
    CHECK(energy.settled);
    launches.push_back(energy.launch);
  }
  set_option("schedule", "eager");
  CHECK_FALSE(fitted_to_energy(launches).determined);
}

TEST_CASE("energy: the fit finds a planted law, and says how sure it is") {
  const EnergyFit exact = fitted_to_energy(launches_by(planted, 0));
  REQUIRE(exact.determined);
  CHECK(exact.held.size() < energy_items().size()); // some stay at the highest clock
  CHECK(exact.residual < 1e-9);
  const EnergyFit noisy = fitted_to_energy(launches_by(planted, 0.005));
  CHECK(noisy.residual > 0.002);
  CHECK(noisy.residual < 0.008);
  for (const ClockTerm& term : terms) {
    CAPTURE(term.name);
    const FittedConstant *of_exact = constant_of(exact, term), *of_noisy = constant_of(noisy, term);
    REQUIRE(of_exact);
    REQUIRE(of_noisy);
    CHECK(of_exact->value == Approx(planted.*term.constant));
    CHECK(of_exact->error < 1e-9);
    CHECK(of_noisy->error > 0);
    CHECK(of_noisy->error < 0.1 * (planted.idle + planted.*term.constant));
    CHECK(std::abs(of_noisy->value - planted.*term.constant) < 3.5 * of_noisy->error);
  }
}

TEST_CASE("energy: no constant is negative, and what was not measured keeps the program's") {
  ClockLaw odd = planted;
  odd.lds = -0.05; // reads of LDS make these faster
  const EnergyFit fit = fitted_to_energy(launches_by(odd, 0));
  REQUIRE(fit.determined);
  CHECK(constant_of(fit, lds_term)->value == 0);
  std::vector<MeasuredLaunch> without = launches_by(planted, 0);
  std::erase_if(without, [](const MeasuredLaunch& launch) { return launch.series.starts_with("fp8"); });
  const EnergyFit partly = fitted_to_energy(without);
  CHECK(constant_of(partly, fp8_term) == nullptr);
  CHECK(partly.law.matrix_fp8 == clock_law.matrix_fp8);
  CHECK_FALSE(fitted_to_energy({without.begin() + 2, without.begin() + 4}).determined);
}
