#pragma once
// Who executes a wave while the model goes through its record, which then has the instruction at hand alone (online/). A wave
// that was recorded before has no feed.

#include "emulator/timing/record/wave_record.hpp"

namespace fmha950::timing {

class WaveFeed {
 public:
  static constexpr uint32_t none = ~uint32_t{0};

  // `listened`: someone hears of what all waves do, in the order of the clock.
  explicit WaveFeed(bool listened) : may_hold_back_(!listened) {}
  virtual ~WaveFeed() = default;

  // Whether it is executed later, with what comes behind it: it touches nothing but its wave's registers, and the next
  // instruction follows.
  bool hold_back(const Op& op) {
    if (!may_hold_back_ || !op.own_registers) return false;
    ++held_back_;
    return true;
  }
  // Executes the instruction at hand and all that were held back: record() has its memory operations then. Tells the index
  // of the one that comes next; none: the wave has ended.
  virtual uint32_t execute() = 0;
  // The oldest of the memory operations that were added reads or writes memory at one clock, and is delivered at another.
  virtual void started(uint64_t effect, uint64_t delivery) = 0;
  virtual WaveRecord& record() = 0; // of the instruction at hand alone

 protected:
  uint32_t held_back_ = 0; // instructions

 private:
  const bool may_hold_back_;
};

class WorkgroupFeed {
 public:
  virtual ~WorkgroupFeed() = default;
  virtual WaveFeed& wave(size_t index) = 0;
  virtual void barrier_released() = 0;
  // The next clock at which a memory operation takes effect or is delivered.
  uint64_t due() const { return due_; }
  virtual void happen_until(uint64_t clock) = 0; // this clock's too

 protected:
  uint64_t due_ = 0;
};

} // namespace fmha950::timing
