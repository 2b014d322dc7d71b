// The loops whose energy is measured.
#include "harness/silicon/energy.hpp"

#include "calibration/energy.hpp"
#include "emulator/rates/rates.hpp"
#include "harness/perf/event_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace fmha950::harness {
namespace {

using calibration::EnergyBeside, calibration::EnergyMatrix, calibration::LoopStamp;

// A launch is long beside the few microseconds between two, and short beside the time in which a limit of power acts. The
// clock has settled when two halves of the last second differ by less than half a percent; what came before is not counted. How long
// a limit of power takes is a guess: 2 to 8 seconds, 34 loops in five minutes at most.
constexpr double seconds_of_launch = 0.1, change = 0.005;
constexpr size_t least_launches = 20, most_launches = 80, window = 10;
constexpr uint32_t first_iterations = 64, rehearsal_iterations = 16;

constexpr uint32_t region_in_l2 =
    64 << 10; // of a CU: more than its L1, and 32 of them are less than their L2
constexpr uint32_t region_in_hbm = 8 << 20; // 256 of them are more than MALL

int matrix_clocks(EnergyMatrix matrix) { // machine_gfx950.md section 6.3
  switch (matrix) {
  case EnergyMatrix::none: return 0;
  case EnergyMatrix::bf16:
  case EnergyMatrix::fp8: return 4 * timing::clocks_per_pass;
  case EnergyMatrix::bf16_32:
  case EnergyMatrix::f8f6f4: return 8 * timing::clocks_per_pass;
  }
  return 0;
}

int valu_clocks(EnergyBeside beside) {
  switch (beside) {
  case EnergyBeside::fma:
  case EnergyBeside::pk_fma:
  case EnergyBeside::cvt: return 4;
  case EnergyBeside::exp: return 8;
  default: return 0;
  }
}

// Of the loops of a launch, those of its workgroups.
struct LaunchResult {
  double seconds = 0, clocks = 0; // means
  std::vector<double> chiplet_hertz;
  double hertz() const { return clocks / seconds; }
};

LaunchResult result_of(uint32_t iterations, const std::vector<LoopStamp>& stamps,
                       const std::vector<uint32_t>& workgroups) {
  LaunchResult result;
  std::map<uint64_t, std::pair<double, double>> of_chiplet; // clocks, seconds
  for (const uint32_t workgroup : workgroups) {
    const std::span waves(stamps.data() + size_t{workgroup} * calibration::energy_waves,
                          size_t{calibration::energy_waves});
    const LoopRun run = run_of(iterations, waves);
    const auto clocks = static_cast<double>(run.clocks);
    const double seconds = static_cast<double>(run.ticks) / ticks_per_second;
    result.clocks += clocks / static_cast<double>(workgroups.size());
    result.seconds += seconds / static_cast<double>(workgroups.size());
    auto& [sum_clocks, sum_seconds] = of_chiplet[waves.front().chiplet];
    sum_clocks += clocks;
    sum_seconds += seconds;
  }
  for (const auto& [chiplet, sums] : of_chiplet) result.chiplet_hertz.push_back(sums.first / sums.second);
  return result;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool has_settled(const std::vector<double>& hertz) {
  if (hertz.size() < least_launches) return false;
  const std::span last = std::span(hertz).last(window);
  const double early = mean(last.first(window / 2)), late = mean(last.last(window / 2));
  return std::abs(late / early - 1) < change;
}

} // namespace

std::vector<EnergyItem> energy_items() {
  std::vector<EnergyItem> items;
  for (const calibration::EnergyKernel& kernel : calibration::energy_kernels())
    if (kernel.work.beside == EnergyBeside::load)
      for (const char* memory : {"l2", "hbm"}) items.push_back({kernel.name, memory});
    else
      items.push_back({kernel.name, ""});
  return items;
}

BusyShares shares_by_counts(const EnergyItem& item, uint32_t iterations, double clocks, int compute_units) {
  const calibration::EnergyWork& work = calibration::energy_kernel(item.kernel).work;
  const calibration::EnergyCounts counts = counts_of(work);
  const double loops =
      calibration::energy_waves * static_cast<double>(iterations) / clocks; // of a CU, in a clock
  const double of_simd = loops / timing::simds_per_cu;
  constexpr int read_clocks = 4; // of 1,024 bytes (machine_gfx950.md section 3.3)
  BusyShares shares;
  const double matrix = of_simd * counts.matrix * matrix_clocks(work.matrix);
  if (work.matrix == EnergyMatrix::bf16 || work.matrix == EnergyMatrix::bf16_32) shares.matrix_bf16 = matrix;
  if (work.matrix == EnergyMatrix::fp8) shares.matrix_fp8 = matrix;
  if (work.matrix == EnergyMatrix::f8f6f4) shares.matrix_f8f6f4 = matrix;
  shares.valu = of_simd * counts.beside * valu_clocks(work.beside);
  if (work.beside == EnergyBeside::lds_read) shares.lds = loops * counts.beside * read_clocks;
  if (work.beside == EnergyBeside::load)
    shares.*(item.memory == "l2" ? &BusyShares::l2 : &BusyShares::hbm) =
        loops * counts.beside * calibration::energy_load_bytes * compute_units;
  return shares;
}

MeasuredEnergy run_energy(const EnergyItem& item, int compute_units) {
  const bool embedded = hip::runtime().embedded;
  const auto workgroups = static_cast<uint32_t>(compute_units);
  const calibration::Energy energy(item.kernel, workgroups,
                                   embedded || item.memory != "hbm" ? region_in_l2 : region_in_hbm);
  std::vector<uint32_t> only;
  for (uint32_t i = 0; i < (embedded ? 2 : workgroups); ++i) only.push_back(i);
  LaunchResult result;
  const auto launch = [&](uint32_t iterations) {
    energy.launch(iterations, embedded ? &only : nullptr);
    result = result_of(iterations, energy.stamps(), only);
  };
  MeasuredEnergy measured{.kernel = std::string(item.kernel),
                          .memory = std::string(item.memory),
                          .iterations = rehearsal_iterations,
                          .settled = embedded,
                          .hertz = {},
                          .chiplet_hertz = {},
                          .launch = {}};
  if (embedded) {
    launch(rehearsal_iterations);
    measured.hertz.push_back(result.hertz());
    measured.launch.seconds = result.seconds;
    measured.launch.clocks = result.clocks;
  } else {
    launch(first_iterations);
    measured.iterations =
        static_cast<uint32_t>(std::clamp(first_iterations * seconds_of_launch / result.seconds, 1.0, 1e9));
    std::vector<LaunchResult> results;
    while (measured.hertz.size() < most_launches && !measured.settled) {
      launch(measured.iterations);
      results.push_back(result);
      measured.hertz.push_back(result.hertz());
      measured.settled = has_settled(measured.hertz);
    }
    for (const LaunchResult& each : std::span(results).last(window)) {
      measured.launch.seconds += each.seconds / window;
      measured.launch.clocks += each.clocks / window;
    }
  }
  measured.chiplet_hertz = result.chiplet_hertz;
  measured.launch.series =
      item.memory.empty() ? measured.kernel : fmt::format("{}-{}", item.kernel, item.memory);
  measured.launch.shares = shares_by_counts(item, measured.iterations, measured.launch.clocks, compute_units);
  return measured;
}

} // namespace fmha950::harness
