#pragma once
// From the clocks of some workgroups to those of any: a straight line by their work, and beside it what those say whose work
// is nearest.

#include <cstdint>
#include <span>
#include <vector>

namespace fmha950::timing {

struct SampledWorkgroup {
  uint64_t linear_id = 0, clocks = 0;
};

// Where a workgroup has its place among the others: near to each other are those that may take nearly the same time.
struct WorkAxis {
  // How much each has to do, in any unit. Equal work is no promise of equal clocks. Without it, workgroups of equal
  // `id / stride % extent` are alike: a grid's y has stride X and extent Y. By itself a workgroup's id is its place.
  uint64_t stride = 1, extent = ~uint64_t{0};
  std::span<const uint32_t> work = {};

  uint64_t place(uint64_t id) const { return work.empty() ? id / stride % extent : work[id]; }
  // So many samples leave nothing open.
  uint64_t kinds(uint64_t workgroups) const {
    return work.empty() && extent < workgroups ? extent : workgroups;
  }
};

class WorkLine {
 public:
  WorkLine(std::span<const SampledWorkgroup> samples, const WorkAxis& axis); // at least one

  double clocks(uint64_t place) const { return ratio(place) * unit(place); }
  // What a place's clocks are counted in: those of its work, or 1 where no work is known.
  double unit(uint64_t place) const;
  bool between_samples(uint64_t place) const {
    return nodes_.front().place <= place && place <= nodes_.back().place;
  }

 private:
  struct Node { // the samples of a place
    uint64_t place = 0;
    double clocks = 0;  // their sum
    double samples = 0; // their number
    double ratio = 0;   // of their mean to unit()
  };
  void fit(std::span<const SampledWorkgroup> samples, const WorkAxis& axis);
  double ratio(uint64_t place) const;

  double fixed_ = 1, of_work_ = 0;
  std::vector<Node> nodes_; // ascending places
};

} // namespace fmha950::timing
