#include "harness/perf/calibration.hpp"

#include "calibration/micro.hpp"
#include "harness/output/progress.hpp"
#include "harness/perf/calibration_gemms.hpp"
#include "harness/perf/calibration_orders.hpp"
#include "harness/perf/clock_law.hpp"
#include "harness/perf/modelled.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <tuple>

namespace fmha950::harness {

namespace {

using workload::CsvTable;

// --- micro-kernels ---

double clocks_of_step(const std::string& name) {
  constexpr uint32_t few = 4, many = 12;
  std::vector<uint32_t> content;
  const calibration::MicroTable table = calibration::micro_kernel(name).table;
  if (table == calibration::MicroTable::chase)
    content = calibration::chase_table(1 << 20, 65599); // no line twice, none of a page
  if (table == calibration::MicroTable::lds_chase) content = calibration::chase_table(4096, 65);
  const calibration::Micro micro(name, content);
  const TimingInForce timing("samples,cold");
  const auto clocks = [&](uint32_t iterations) {
    micro.launch(iterations, nullptr);
    return timing_of_launch().at("runs").at(0).at("clocks").get<double>();
  };
  return (clocks(many) - clocks(few)) / ((many - few) * micro.kernel().steps);
}

void add_steps(Calibration& calibration) {
  const CsvTable published = calibration_table("latencies.csv");
  for (size_t row = 0; row < published.rows(); ++row)
    calibration.rows.push_back({.heading = "clocks of a step",
                                .kernel = published.text(row, "kernel"),
                                .what = published.text(row, "step"),
                                .published = published.positive(row, "clocks"),
                                .modelled = clocks_of_step(published.text(row, "kernel")),
                                .sampled = {},
                                .fit = published.text(row, "use") == "fit"});
}

// --- LDS ---

// Which byte of LDS each lane accesses, by the name in lds_conflict_counters.csv (addresses_here).
uint32_t lds_address(const std::string& addresses, uint32_t lane) {
  if (addresses == "banks") return lane == 1 ? 16 : 0;    // two lanes of a phase on different banks
  if (addresses == "pair") return lane == 1 ? 4096 : 0;   // on one bank
  if (addresses == "halves") return lane < 32 ? 0 : 4096; // one bank, no phase has lanes of both halves
  if (addresses == "column") return 256 * lane;           // all on one bank
  throw InvalidInput("addresses_here", addresses, "must be banks, pair, halves or column");
}

// The bank conflicts of one instruction.
double lds_conflicts(const std::string& kernel, const std::string& addresses) {
  constexpr uint32_t lanes = target.wave_lanes, few = 1, many = 2;
  std::vector<uint32_t> content(lanes + calibration::micro_lds_bytes / 4);
  for (uint32_t lane = 0; lane < lanes; ++lane) content[lane] = lds_address(addresses, lane);
  const calibration::Micro micro(kernel, content);
  const TimingInForce timing("samples");
  const auto conflicts = [&](uint32_t iterations) {
    micro.launch(iterations, nullptr);
    return timing_of_launch().at("lds").at("conflicts").get<double>();
  };
  return (conflicts(many) - conflicts(few)) / ((many - few) * micro.kernel().steps);
}

void add_lds_conflicts(Calibration& calibration) {
  const CsvTable published = calibration_table("lds_conflict_counters.csv");
  for (size_t row = 0; row < published.rows(); ++row) {
    if (published.text(row, "use") != "check") continue;
    const std::string &kernel = published.text(row, "kernel_here"),
                      &addresses = published.text(row, "addresses_here");
    calibration.rows.push_back({.heading = "LDS conflicts, counted",
                                .kernel = kernel,
                                .what = addresses,
                                .published = std::stod(published.text(row, "SQ_LDS_BANK_CONFLICT_cycles")),
                                .modelled = lds_conflicts(kernel, addresses),
                                .sampled = {}});
  }
}

// --- GEMMs ---

double teraflops(const PublishedGemm& gemm, const GemmRun& run, const ClockLaw& law = clock_law) {
  return gemm.flops() / (run.clocks / law.hertz(run.shares) + launch_seconds(gemm.synchronised)) / 1e12;
}

CalibrationRow::Ends by_laws(const PublishedGemm& gemm, const GemmRun& run) {
  const double best = teraflops(gemm, run);
  CalibrationRow::Ends ends{best, best};
  for (const OtherClockLaw& other : other_clock_laws) {
    const double there = teraflops(gemm, run, other.law);
    ends = {std::min(ends.low, there), std::max(ends.high, there)};
  }
  return ends;
}

void add_gemms(const std::vector<PublishedGemm>& gemms, const std::vector<GemmClocks>& clocks,
               Calibration& calibration) {
  for (size_t i = 0; i < gemms.size(); ++i)
    calibration.rows.push_back({.heading = gemms[i].heading,
                                .kernel = gemms[i].kernel,
                                .what = fmt::format("{}, {:.0f} MHz", gemms[i].what,
                                                    clock_law.hertz(clocks[i].chiplet.shares) / 1e6),
                                .published = gemms[i].teraflops,
                                .modelled = teraflops(gemms[i], clocks[i].chiplet),
                                .sampled = teraflops(gemms[i], clocks[i].sampled),
                                .laws = by_laws(gemms[i], clocks[i].chiplet),
                                .fit = gemms[i].fit,
                                .judged = gemms[i].judged});
}

std::vector<MeasuredLaunch> measured_launches(const std::vector<PublishedGemm>& gemms,
                                              const std::vector<GemmClocks>& clocks) {
  std::vector<MeasuredLaunch> launches;
  for (size_t i = 0; i < gemms.size(); ++i)
    if (gemms[i].heading == by_size)
      launches.push_back({.series = "gemm-" + gemms[i].what.substr(0, gemms[i].what.find(' ')),
                          .length = gemms[i].size,
                          .seconds = gemms[i].flops() / (gemms[i].teraflops * 1e12) - dispatch_seconds,
                          .synchronised = gemms[i].synchronised,
                          .clocks = clocks[i].chiplet.clocks,
                          .shares = clocks[i].chiplet.shares});
  return launches;
}

double error(double modelled, double published) {
  return modelled == published ? 0 : modelled / published - 1; // LDS conflicts: of none
}

double picojoules(double nanoseconds_of_a_clock) { return 1e3 * nanoseconds_of_a_clock * power_limit_watts; }

} // namespace

std::optional<Calibration::Error> Calibration::error() const {
  Error sum{};
  for (const CalibrationRow& row : rows) {
    if (row.fit || !row.judged || row.heading != by_size) continue;
    sum.chiplet += std::abs(harness::error(row.modelled, row.published));
    sum.sampled += std::abs(harness::error(row.sampled.value(), row.published));
    ++sum.rows;
  }
  if (sum.rows == 0) return {};
  return Error{sum.chiplet / sum.rows, sum.sampled / sum.rows, sum.rows};
}

Calibration calibrate(int largest, const std::vector<std::string>& assumptions) {
  std::vector<PublishedGemm> gemms = published_gemms(largest), orders;
  if (largest >= schedules_size) orders = published_orders();
  const size_t micro_kernels = 2;
  Progress progress(micro_kernels + gemms.size() + orders.size());
  Calibration calibration;
  const auto step = [&](const std::string& what, const auto& run) {
    progress.start(what);
    run();
    progress.done();
  };
  step("steps of instructions", [&] { add_steps(calibration); });
  step("LDS conflicts", [&] { add_lds_conflicts(calibration); });
  const auto modelled = [&](const std::vector<PublishedGemm>& all, const std::vector<std::string>& words) {
    std::map<std::tuple<std::string, uint32_t, uint32_t, uint32_t>, GemmClocks> known;
    std::vector<GemmClocks> clocks;
    for (const PublishedGemm& gemm : all)
      step(gemm.kernel + ", " + gemm.what, [&] {
        const auto [found, is_new] =
            known.try_emplace({gemm.kernel, gemm.size, gemm.order.window, gemm.order.chunk});
        if (is_new) found->second = clocks_of(gemm, words);
        clocks.push_back(found->second);
      });
    return clocks;
  };
  const std::vector<GemmClocks> clocks = modelled(gemms, assumptions);
  add_gemms(gemms, clocks, calibration);
  calibration.launches = measured_launches(gemms, clocks);
  for (MeasuredLaunch& launch : calibration.launches)
    launch.assume = fmt::format("{}", fmt::join(assumptions, "+"));
  if (!orders.empty()) add_orders(orders, modelled(orders, with_cus_apart(assumptions)), calibration);
  return calibration;
}

void print(const Calibration& calibration, std::FILE* out) {
  fmt::print(
      out,
      "cycle model against published figures of MI355X (data/calibration); GEMMs at the clock that their "
      "work allows (--clock)\n"
      "modelled: a chiplet's workgroups together; sampled: few, each alone, as `perf` does\n");
  std::string heading;
  for (const CalibrationRow& row : calibration.rows) {
    if (row.heading != heading)
      fmt::print(out, "{:<28} {:>10} {:>10} {:>8} {:>14} {:>10} {:>8}  {:<6} {}\n", row.heading, "published",
                 "modelled", "error", row.laws ? "other laws" : "", row.sampled ? "sampled" : "",
                 row.sampled ? "error" : "", "use", "what");
    heading = row.heading;
    const auto percent = [&](double modelled) {
      return fmt::format("{:.1f} %", 100 * error(modelled, row.published));
    };
    fmt::print(out, "{:<28} {:>10.4g} {:>10.4g} {:>8} {:>14} {:>10} {:>8}  {:<6} {}\n", row.kernel,
               row.published, row.modelled, percent(row.modelled),
               row.laws ? fmt::format("{:.4g} to {:.4g}", row.laws->low, row.laws->high) : "",
               row.sampled ? fmt::format("{:.4g}", *row.sampled) : "",
               row.sampled ? percent(*row.sampled) : "",
               row.fit      ? "fit"
               : row.judged ? "check"
                            : "small",
               row.what);
  }
  if (calibration.fitted_byte_beyond_l2)
    fmt::print(out, "energy of a byte beyond L2, by two orders: {:.1f} pJ at {:.0f} W; in use {:.1f} pJ\n",
               picojoules(*calibration.fitted_byte_beyond_l2), power_limit_watts, picojoules(byte_beyond_l2));
  const auto mean = calibration.error();
  fmt::print(out, "mean absolute error of GEMM sizes from {} on that were not fitted: {}\n",
             least_judged_size,
             mean ? fmt::format("{:.1f} %, sampled {:.1f} %, of {} rows", 100 * mean->chiplet,
                                100 * mean->sampled, mean->rows)
                  : "none of these sizes was run");
}

} // namespace fmha950::harness
