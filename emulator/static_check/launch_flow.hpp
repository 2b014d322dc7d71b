#pragma once
// From which instruction to which execution may go, through a kernel's code and that of the functions it calls.

#include "emulator/static_check/launch_code.hpp"

#include <vector>

namespace fmha950::static_check {

class LaunchFlow {
 public:
  explicit LaunchFlow(const LaunchCode& code);

  static constexpr size_t none = SIZE_MAX;
  size_t size() const { return next_.size(); } // instructions of all parts, one part behind the other
  size_t number_of(std::pair<size_t, size_t> place) const { return first_[place.first] + place.second; }
  std::pair<size_t, size_t> place_of(size_t number) const; // part and instruction
  // Stretches of a basic block between calls: execution passes all of one, or nothing of it. None: it does not come there.
  size_t stretch_of(size_t number) const { return stretch_[number]; }

  // Instructions executed from `start`'s successors (1) on; without those behind `wall`.
  std::vector<size_t> from(size_t start, size_t wall = none) const { return spread(next_, start, wall); }
  // Instructions up to `end`, which is itself 0 away.
  std::vector<size_t> to(size_t end) const;
  // The least sum of `weights`, of each instruction, over those passed behind `start` and before a place. None: it is not reached.
  std::vector<size_t> least(size_t start, const std::vector<size_t>& weights) const;

 private:
  using Edges = std::vector<std::vector<size_t>>;
  void add(size_t from, size_t to);
  void follow_part(const LaunchCode& code, size_t part);
  void follow_returns(const LaunchCode& code);
  static std::vector<size_t> spread(const Edges& edges, size_t start, size_t wall);

  std::vector<size_t> first_; // of each part
  std::vector<size_t> stretch_;
  Edges next_, previous_;
};

} // namespace fmha950::static_check
