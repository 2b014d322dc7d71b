#include "emulator/timing/work_line.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace fmha950::timing {
namespace {

// Least squares of relative deviations, so that short workgroups count as much as long ones.
struct Moments {
  double weights = 0, work = 0, clocks = 0, work_work = 0, work_clocks = 0;

  void add(double of_work, double of_clocks) {
    const double weight = 1 / (of_clocks * of_clocks);
    weights += weight;
    work += weight * of_work;
    clocks += weight * of_clocks;
    work_work += weight * of_work * of_work;
    work_clocks += weight * of_work * of_clocks;
  }
};

} // namespace

WorkLine::WorkLine(std::span<const SampledWorkgroup> samples, const WorkAxis& axis) {
  if (!axis.work.empty()) fit(samples, axis);
  std::map<uint64_t, Node> by_place;
  for (const SampledWorkgroup& sample : samples) {
    Node& node = by_place[axis.place(sample.linear_id)];
    node.clocks += static_cast<double>(sample.clocks);
    ++node.samples;
  }
  for (auto& [place, node] : by_place) {
    node.place = place;
    node.ratio = node.clocks / node.samples / unit(place);
    nodes_.push_back(node);
  }
}

// Neither starting nor work takes less than no time.
void WorkLine::fit(std::span<const SampledWorkgroup> samples, const WorkAxis& axis) {
  Moments sums;
  for (const SampledWorkgroup& sample : samples)
    sums.add(static_cast<double>(axis.place(sample.linear_id)),
             std::max(1.0, static_cast<double>(sample.clocks)));
  const double square = sums.work_work * sums.weights - sums.work * sums.work;
  const double both = sums.work_clocks * sums.weights - sums.work * sums.clocks;
  // Rounding makes a square of equal amounts a little more or less than 0.
  const bool differ = square > 1e-9 * sums.work_work * sums.weights;
  of_work_ = differ ? std::max(0.0, both / square) : 0;
  fixed_ = (sums.clocks - of_work_ * sums.work) / sums.weights;
  if (fixed_ >= 0) return;
  fixed_ = 0;
  of_work_ = sums.work_clocks / sums.work_work;
}

double WorkLine::unit(uint64_t place) const {
  return std::max(1.0, fixed_ + of_work_ * static_cast<double>(place));
}

double WorkLine::ratio(uint64_t place) const {
  const auto after = std::ranges::lower_bound(nodes_, place, {}, &Node::place);
  if (after == nodes_.end()) return nodes_.back().ratio;
  if (after == nodes_.begin() || after->place == place) return after->ratio;
  const Node& before = *std::prev(after);
  const double part =
      static_cast<double>(place - before.place) / static_cast<double>(after->place - before.place);
  return before.ratio + part * (after->ratio - before.ratio);
}

} // namespace fmha950::timing
