#include "harness/perf/calibration_orders.hpp"

#include "harness/perf/clock_law.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

double beyond_l2(const BusyShares& shares) { return shares.mall + shares.hbm; }

// A GEMM in one order beside the fastest one.
struct OrderRun {
  const PublishedGemm &gemm, &best_gemm;
  const GemmRun &run, &best_run;

  double published() const { return gemm.teraflops / best_gemm.teraflops; }
  double more_bytes() const { return beyond_l2(run.shares) - beyond_l2(best_run.shares); } // a clock
  // The law was fitted to GEMMs in the fastest order, so it holds the energy of that one's bytes.
  double modelled() const {
    const double nanoseconds = clock_law.nanoseconds(run.shares) + byte_beyond_l2 * more_bytes();
    return best_time() / (run.clocks * nanoseconds);
  }
  // Nanoseconds of a clock that hardware takes beside what the law has.
  double left() const { return best_time() / published() / run.clocks - clock_law.nanoseconds(run.shares); }
  double l2_hits() const { return run.shares.l2 / (run.shares.l2 + beyond_l2(run.shares)); } // of its bytes

 private:
  double best_time() const { return best_run.clocks * clock_law.nanoseconds(best_run.shares); }
};

} // namespace

std::vector<std::string> with_cus_apart(std::vector<std::string> assumptions) {
  if (std::ranges::find(assumptions, "apart") == assumptions.end()) assumptions.emplace_back("apart");
  return assumptions;
}

void add_orders(const std::vector<PublishedGemm>& gemms, const std::vector<GemmClocks>& clocks,
                Calibration& calibration) {
  const auto best =
      static_cast<size_t>(std::ranges::max_element(gemms, {}, &PublishedGemm::teraflops) - gemms.begin());
  double products = 0, squares = 0; // least squares through nothing
  for (size_t i = 0; i < gemms.size(); ++i) {
    const OrderRun order{gemms[i], gemms[best], clocks[i].chiplet, clocks[best].chiplet};
    if (gemms[i].fit) {
      products += order.left() * order.more_bytes();
      squares += order.more_bytes() * order.more_bytes();
    }
    calibration.rows.push_back(
        {.heading = gemms[i].heading,
         .kernel = gemms[i].kernel,
         .what = fmt::format("{}, {:.0f} % of L2's bytes hit, {:.0f} a clock come from beyond", gemms[i].what,
                             100 * order.l2_hits(), beyond_l2(order.run.shares)),
         .published = order.published(),
         .modelled = order.modelled(),
         .sampled = clocks[best].sampled.clocks / clocks[i].sampled.clocks,
         .fit = gemms[i].fit});
  }
  calibration.fitted_byte_beyond_l2 = products / squares;
}

} // namespace fmha950::harness
