#pragma once
// What is known along one path, from some instruction on: masks of lanes in SGPR pairs, VCC and EXEC, as functions of those
// that are not known (lane_set.hpp), and what the branches that were taken say of masks and of comparisons. So a path is
// seen not to be one where two branches on it contradict each other.

#include "emulator/static_check/common_values.hpp"
#include "emulator/static_check/instruction_functions.hpp"
#include "emulator/static_check/lane_set.hpp"
#include "emulator/static_check/linear_values.hpp"

#include <optional>
#include <string>

namespace fmha950::static_check {

class PathFacts {
 public:
  PathFacts(const Code& code, const CommonValues& common, const LinearValuesBefore* linear, size_t from);

  // Before a branch goes one way: whether it can, if so with what follows from it.
  bool go(size_t branch, bool taken);
  void execute(size_t index);

  using Mask = std::optional<LaneSet>; // none: not followed
  Mask exec() { return pair(machine_exec); }
  // Whether the two may have a lane in common on this path.
  bool may_meet(const Mask& a, const Mask& b) const;

 private:
  static constexpr int machine_exec = 126;
  // What SCC or a branch says: that a mask has lanes, or the outcome of a comparison.
  struct Condition {
    Mask mask;
    std::string comparison;
    bool inverted = false;
  };
  Mask pair(int code);
  Mask source(const isa::Instruction& in, int number);
  void set_pair(int code, const Mask& mask);
  void forget(const isa::RegisterRange& range);
  bool set_common(size_t index);
  bool execute_mask(const isa::Instruction& in, bool writes_scc);
  Condition condition_of(const Predicate& predicate, size_t index) const;
  bool assume_lanes(const LaneSet& mask, bool some);
  void execute_linear(size_t index, bool writes_scc);

  const Code* code_;
  const CommonValues* common_;
  std::map<int, Mask> pairs_;      // by code of the first
  CommonValues::Scalars at_start_; // of registers that were not written since
  int atoms_ = 0;
  LaneSet possible_ =
      LaneSet::of(~uint64_t{0}); // what lanes and atoms may be, by branches that found a mask empty
  std::vector<LaneSet> some_;    // masks that have lanes
  Condition scc_;
  std::map<std::string, bool> outcomes_; // of comparisons
  std::map<int, unsigned> versions_;     // of SGPRs: how often they were written
  std::optional<LinearValues> linear_;
  Inequalities compared_;  // what the branches that were taken say
  Inequalities if_scc_[2]; // what follows if SCC is 0, and 1
};

} // namespace fmha950::static_check
