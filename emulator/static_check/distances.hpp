#pragma once
// Over all paths to a place: what earlier instructions did to registers so recently that a rule of wait states may ask for
// a distance, and the fewest states since then (observe/wait_states).

#include "emulator/observe/wait_states/wait_state_pair.hpp"
#include "emulator/static_check/code.hpp"

#include <vector>

namespace fmha950::static_check {

struct Recent {
  size_t producer = 0; // the instruction
  uint8_t effect = 0;  // of its effects
  int states = 0;      // since its end
  int horizon = 0;     // the most that anything may have to wait for it
  uint64_t open = 0;   // of the effect's registers, those that nothing younger wrote; bit 0 for the first
};

class Distances {
 public:
  bool join(const Distances& other);
  bool empty() const { return recent_.empty(); }
  const std::vector<Recent>& all() const { return recent_; }

  // The instruction has executed: its states are over, and what it did is recent.
  void pass(const Code& code, size_t index, int states);
  void age(const Code& code, size_t index, int states); // likewise, but what it did is not followed
  void forget() { recent_.clear(); }

 private:
  void sort_and_thin();
  // By producer, effect and states. If a register has several paths, only the fewest states are kept.
  std::vector<Recent> recent_;
};

struct TooClose : observe::SpacedPair {
  size_t producer = 0;
};
// What `index` wants too soon: for each producer, the worst pair.
std::vector<TooClose> too_close(const Code& code, size_t index, const Distances& distances);

template <class Visit>
void step_distances(const Code& code, const Steps& steps, Distances& distances, size_t index,
                    const Visit& visit) {
  visit(distances, index);
  distances.pass(code, index, steps[index].states);
  if (steps[index].leaves != Leaves::no) distances.forget();
}

} // namespace fmha950::static_check
