#pragma once
// Who executes a wave while the model goes through its record, which then grows instruction by instruction (online/). A wave
// that was recorded before has no feed.

#include "emulator/timing/record/wave_record.hpp"

namespace fmha950::timing {

class WaveFeed {
 public:
  virtual ~WaveFeed() = default;
  // Executes the last instruction of the record, which issues at `clock`: adds its memory operations and the instruction
  // that comes next. What has happened until then has taken effect.
  virtual void execute(uint64_t clock) = 0;
  // The same of an instruction that the wave deals with by itself, ahead of the clock: a wait, a barrier, s_nop, its end.
  virtual void pass() = 0;
  // The oldest of the memory operations that were added reads or writes memory at one clock, and is delivered at another.
  virtual void started(uint64_t effect, uint64_t delivery) = 0;
  virtual WaveRecord& record() = 0; // whose past the wave may forget
};

class WorkgroupFeed {
 public:
  virtual ~WorkgroupFeed() = default;
  virtual WaveFeed& wave(size_t index) = 0;
  virtual void barrier_released() = 0;
};

} // namespace fmha950::timing
