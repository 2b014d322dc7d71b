#pragma once
// A schedule decides what the silicon leaves open: when memory operations in flight take effect and deliver,
// and how waves interleave (DESIGN.md section 4). Written MEMORY[,WAVES]:
//   MEMORY  eager | lazy | random:SEED | pct:SEED | timed (which takes no WAVES: the cycle model orders both)
//   WAVES   round-robin (default) | random:SEED | starve:WAVE | pct:SEED
// pct is priority-based with few changes (Burckhardt et al., "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010): whoever has the highest priority runs, until a change point.
// Decisions depend only on seed, launch number, workgroup and wave, never on host threads.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::machine {

enum class MemoryOrder : uint8_t { eager, lazy, random, pct, timed };
enum class WaveOrder : uint8_t { round_robin, random, starve, pct };

struct Schedule {
  MemoryOrder memory = MemoryOrder::eager;
  uint64_t memory_seed = 0;
  WaveOrder waves = WaveOrder::round_robin;
  uint64_t wave_seed = 0; // or the wave that starves
};

// False, and `error` says what would be right, when the text is no schedule.
bool parse_schedule(std::string_view text, Schedule& schedule, std::string& error);

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small state, good for seeds that differ in few bits.
class Random {
 public:
  explicit Random(uint64_t seed = 0) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

 private:
  uint64_t state_;
};

// Steps at which pct changes priorities. PCT draws d of them uniformly from the run's k steps. k is not known
// before the run, so the run is cut into windows whose length is 2^6 to 2^16 steps, drawn once per run with
// every power of two as likely, and each window gets its d points: windows longer than the run find what
// needs few changes anywhere in it, short ones what needs many.
class ChangePoints {
 public:
  static constexpr int depth = 3; // d: most bugs need at most two changes at the right places

  void restart(Random random);
  // True when this step is a change point.
  [[gnu::always_inline]] bool advance() {
    if (++step_ < next_) [[likely]]
      return false;
    return pass();
  }
  uint64_t until_next() const { return next_ - step_; } // steps, at least 1
  // As advance(), many at a time: at most until_next().
  bool advance(uint64_t steps) {
    step_ += steps;
    return step_ >= next_ && pass();
  }

 private:
  bool pass();
  void open_window();

  Random random_;
  uint64_t window_ = 0, step_ = 0, window_end_ = 0, next_ = 0;
  std::vector<uint64_t> points_; // still ahead in this window, latest first
};

} // namespace fmha950::machine
