#include "emulator/timing/gpu_time.hpp"

#include "emulator/timing/gpu_schedule.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace fmha950::timing {
namespace {

// Workgroups of equal work differ by so much, whatever a handful of them says: the root mean square is 0.5 to 3 % on the
// launches that tests/harness/sampling_test.cpp follows.
constexpr double least_spread = 0.015;

// Of Student's distribution. From five degrees of freedom on, Cornish and Fisher's series.
double quantile_975(size_t freedom) {
  constexpr std::array few{12.706, 4.303, 3.182, 2.776};
  if (freedom <= few.size()) return few.at(freedom - 1);
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
  const auto n = static_cast<double>(freedom);
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

class SamplingError {
 public:
  SamplingError(std::span<const SampledWorkgroup> samples, const Grid& grid, double clocks)
      : samples_(samples), grid_(grid), clocks_(clocks) {
    for (size_t i = 0; i < samples.size(); ++i) leave_out(i);
  }

  double relative() const {
    const WorkLine line(samples_, grid_.axis);
    const double longest = (schedule_of(samples_, line, grid_, deviations()).end - clocks_) / 2;
    const double seen = quantile_975(samples_.size() - 2) / 2 * std::hypot(std::sqrt(changes_), longest);
    const auto count = static_cast<double>(samples_.size());
    const double open = 1 - count / static_cast<double>(grid_.axis.kinds(grid_.workgroups));
    return std::hypot(seen / clocks_, least_spread * std::sqrt(open / count));
  }

 private:
  void leave_out(size_t i) {
    std::vector<SampledWorkgroup> others(samples_.begin(), samples_.end());
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    const WorkLine line(others, grid_.axis);
    const double change = schedule_of(others, line, grid_).end - clocks_;
    changes_ += change * change;
    const uint64_t place = grid_.axis.place(samples_[i].linear_id);
    if (!line.between_samples(place)) return;
    const double off = (static_cast<double>(samples_[i].clocks) - line.clocks(place)) / line.unit(place);
    off_line_[samples_[i].linear_id % chiplets].push_back(off);
  }

  Deviations deviations() const {
    Deviations deviations;
    double squares = 0, count = 0;
    for (size_t chiplet = 0; chiplet < chiplets; ++chiplet) {
      const std::vector<double>& off = off_line_[chiplet];
      if (off.empty()) continue;
      deviations.of_chiplet[chiplet] =
          std::max(0.0, std::reduce(off.begin(), off.end()) / static_cast<double>(off.size()));
      squares += std::transform_reduce(off.begin(), off.end(), off.begin(), 0.0);
      count += static_cast<double>(off.size());
    }
    // The mean of two neighbours lies off as well, by half the square.
    if (count > 0) deviations.spread = std::sqrt(squares / 1.5 / count);
    return deviations;
  }

  std::span<const SampledWorkgroup> samples_;
  const Grid& grid_;
  double clocks_;
  double changes_ = 0; // sum of squares
  // Of samples that others lie around: how far from what those say.
  std::array<std::vector<double>, chiplets> off_line_;
};

} // namespace

GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu,
                 WorkAxis axis) {
  const Grid grid{grid_workgroups, workgroups_per_cu, axis};
  const GpuSchedule schedule = schedule_of(samples, WorkLine(samples, axis), grid);
  GpuTime time{.clocks = schedule.end, .occupied = schedule.occupied(), .sampling_error = {}};
  if (samples.size() >= axis.kinds(grid_workgroups))
    time.sampling_error = 0;
  else if (samples.size() >= 3)
    time.sampling_error = SamplingError(samples, grid, schedule.end).relative();
  return time;
}

} // namespace fmha950::timing
