#pragma once
// From where the control flow alone leads to what is asked for, before the operation is complete. A walk of paths
// (path_walk.hpp) that goes nowhere else has far fewer of them.

#include "emulator/static_check/flight_way.hpp"

#include <map>
#include <vector>

namespace fmha950::static_check {

class FlowAhead {
 public:
  FlowAhead(const Question& question, const Position& start);

  // At the start, and behind a branch; true where it was not found out.
  bool may_be_met(const Position& at) const;

 private:
  using Key = std::vector<int>;
  static Key key(const Position& at);

  std::map<Key, bool> met_;
  bool complete_ = true;
};

} // namespace fmha950::static_check
