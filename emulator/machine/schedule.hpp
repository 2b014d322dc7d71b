#pragma once
// A schedule decides what the silicon leaves open: when memory operations in flight take effect and deliver,
// and how waves interleave (DESIGN.md section 4). Written MEMORY[,WAVES]:
//   MEMORY  eager | lazy | random:SEED      WAVES  round-robin (default) | random:SEED | starve:WAVE
// Decisions depend only on seed, launch number, workgroup and wave, never on host threads.

#include <cstdint>
#include <string>
#include <string_view>

namespace fmha950::machine {

enum class MemoryOrder : uint8_t { eager, lazy, random };
enum class WaveOrder : uint8_t { round_robin, random, starve };

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

} // namespace fmha950::machine
