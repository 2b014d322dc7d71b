#pragma once
// Instructions on their way to the waves of a CU. Each wave has a buffer that is filled ahead of it, in
// order, from the instruction cache through a port that all waves share; a jump begins it anew. The cache
// itself is filled ahead of the waves, line after line, so that code which it cannot hold streams through it.

#include "emulator/timing/model/memory_path.hpp"
#include "emulator/timing/record/op.hpp"

#include <array>
#include <unordered_map>
#include <vector>

namespace fmha950::timing {

class InstructionFetch {
 public:
  class Buffer { // of a wave
    friend InstructionFetch;
    // Whether all of it was there for the instruction before, too.
    bool had(const Op& op) const {
      const uint64_t block = op.address / instruction_fetch_bytes;
      const uint64_t last = (op.address + op.bytes - 1) / instruction_fetch_bytes;
      return block == last && block == first_ && block == last_;
    }
    uint64_t first_ = 0, end_ = 0;                            // blocks [first, end) were asked for
    uint64_t last_ = ~uint64_t{0};                            // of the instruction before
    std::array<uint64_t, instruction_buffer_blocks> there_{}; // when, by block modulo their number
  };

  // The cache holds the code if the chiplet is warm, as after a launch before. `lines_ahead`: how far the cache
  // is filled beyond the line that a wave has come to.
  InstructionFetch(const std::vector<Op>& ops, ChipletMemory& chiplet, MemoryTraffic& traffic,
                   uint64_t lines_ahead);

  // When a wave that has come to `op` at `clock` has it; 0: it has had it for the instruction before.
  uint64_t available(Buffer& buffer, const Op& op, uint64_t clock) {
    return buffer.had(op) ? 0 : buffered(buffer, op, clock);
  }

 private:
  struct Arrival { // of a line in the cache
    double clock;
    bool used; // by a wave; else it was only brought ahead
  };

  [[gnu::noinline]] uint64_t buffered(Buffer& buffer, const Op& op, uint64_t clock);
  uint64_t fetch(uint64_t block, uint64_t clock);
  double come_to(uint64_t line, double clock); // when the line is there for a wave
  void bring(uint64_t line, double clock, bool used);

  ChipletMemory& chiplet_;
  MemoryTraffic& traffic_;
  uint64_t lines_ahead_;
  Cache cache_{instruction_cache_bytes, instruction_line_bytes, instruction_cache_ways,
               CacheSets::by_address};
  std::unordered_map<uint64_t, Arrival> arrivals_; // of lines that are on their way, or not used yet
  Server port_, fill_;
  // Neighbours that have been in the cache from the beginning, as long as waves come to no other line: it hears of no use of
  // them, and has them in the order of the beginning once they do.
  struct {
    uint64_t first = 0, count = 0;
  } stay_;
};

} // namespace fmha950::timing
