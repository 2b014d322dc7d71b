#pragma once
// Which wave of a workgroup runs next, and for how long: the wave order of a schedule.

#include "emulator/machine/workgroup.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::machine {

// A wave that neither meets a barrier nor ends gives way after this many instructions, so that waves which
// wait for each other through memory make progress.
constexpr uint64_t longest_turn = 1 << 16;

class WaveTurns {
 public:
  explicit WaveTurns(Workgroup& workgroup);
  Wave* next();                  // null: none runs, all are at the barrier or have ended
  uint64_t turn() const;         // instructions that this wave may execute at most
  void executed(uint64_t count); // what it did execute

 private:
  bool running(size_t i) const;
  Wave* after(size_t position);
  Wave* highest();

  Workgroup& workgroup_;
  const Schedule& schedule_;
  size_t position_ = 0; // round robin: next candidate. pct: the wave chosen
  uint64_t turn_ = 0;
  std::vector<int64_t> priority_; // pct: of each wave, all different
  int64_t lowest_ = 0;
  bool relents_ = false; // starve: the others may be waiting in a loop for the wave that starves
  ChangePoints changes_;
};

} // namespace fmha950::machine
