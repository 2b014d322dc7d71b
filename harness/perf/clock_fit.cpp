#include "harness/perf/clock_fit.hpp"

#include <Eigen/QR>
#include <limits>

namespace fmha950::harness {

namespace {

// The least squares of `columns` x constants = `target` without a negative constant. There are few columns: all choices
// of those that are above 0 are tried.
Eigen::VectorXd not_negative_least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& target) {
  const Eigen::Index count = columns.cols();
  Eigen::VectorXd best = Eigen::VectorXd::Zero(count);
  double least = target.squaredNorm();
  for (unsigned chosen = 1; chosen < 1u << count; ++chosen) {
    std::vector<Eigen::Index> places;
    for (Eigen::Index i = 0; i < count; ++i)
      if (chosen >> i & 1) places.push_back(i);
    const Eigen::MatrixXd some = columns(Eigen::all, places);
    const Eigen::VectorXd constants = some.colPivHouseholderQr().solve(target);
    if (constants.minCoeff() < 0) continue;
    const double squares = (some * constants - target).squaredNorm();
    if (squares >= least) continue;
    least = squares;
    best.setZero();
    best(places) = constants;
  }
  return best;
}

double measured_nanoseconds(const MeasuredLaunch& launch) { return 1e9 * launch.seconds / launch.clocks; }

double squares_of(const ClockLaw& law, const std::vector<MeasuredLaunch>& launches) {
  double sum = 0;
  for (const MeasuredLaunch& launch : launches)
    sum += std::pow(law.nanoseconds(launch.shares) / measured_nanoseconds(launch) - 1, 2);
  return sum;
}

// Of the launches that are not held at the highest clock.
ClockLaw fitted_to(ClockLaw law, const std::vector<ClockTerm>& terms,
                   const std::vector<const MeasuredLaunch*>& launches) {
  const auto rows = static_cast<Eigen::Index>(launches.size());
  Eigen::MatrixXd columns(rows, static_cast<Eigen::Index>(terms.size()));
  Eigen::VectorXd target(rows);
  for (const ClockTerm& term : terms) law.*term.constant = 0;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const MeasuredLaunch& launch = *launches[static_cast<size_t>(row)];
    const double energy = std::pow(measured_nanoseconds(launch), law.power);
    for (size_t i = 0; i < terms.size(); ++i)
      columns(row, static_cast<Eigen::Index>(i)) =
          (terms[i].share ? launch.shares.*terms[i].share : 1) / energy;
    target(row) = 1 - law.energy(launch.shares) / energy;
  }
  const Eigen::VectorXd constants = not_negative_least_squares(columns, target);
  for (size_t i = 0; i < terms.size(); ++i) law.*terms[i].constant = constants(static_cast<Eigen::Index>(i));
  return law;
}

} // namespace

ClockLaw fitted(ClockLaw law, const std::vector<ClockTerm>& terms,
                const std::vector<MeasuredLaunch>& launches) {
  constexpr int most_rounds = 20; // which launches are held settles in two or three
  std::vector<const MeasuredLaunch*> free;
  for (const MeasuredLaunch& launch : launches) free.push_back(&launch);
  ClockLaw best = law;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds && !free.empty(); ++round) {
    const ClockLaw next = fitted_to(law, terms, free);
    const double squares = squares_of(next, launches);
    if (squares < least) {
      least = squares;
      best = next;
    }
    std::vector<const MeasuredLaunch*> still_free;
    for (const MeasuredLaunch& launch : launches)
      if (!next.is_capped(launch.shares)) still_free.push_back(&launch);
    if (still_free == free) break;
    free = still_free;
  }
  return best;
}

double error_of(const ClockLaw& law, const MeasuredLaunch& launch) {
  return measured_nanoseconds(launch) / law.nanoseconds(launch.shares) - 1;
}

} // namespace fmha950::harness
