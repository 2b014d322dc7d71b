#pragma once
// Instructions on their way to the waves of a CU. Each wave has a buffer that is filled ahead of it, in
// order, from the instruction cache through a port that all waves share; a jump begins it anew.

#include "emulator/timing/model/memory_path.hpp"
#include "emulator/timing/record/op.hpp"

#include <array>
#include <vector>

namespace fmha950::timing {

class InstructionFetch {
 public:
  class Buffer { // of a wave
    friend InstructionFetch;
    uint64_t first_ = 0, end_ = 0;                            // blocks [first, end) were asked for
    std::array<uint64_t, instruction_buffer_blocks> there_{}; // when, by block modulo their number
  };

  // The cache holds the code if the chiplet is warm, as after a launch before.
  InstructionFetch(const std::vector<Op>& ops, ChipletMemory& chiplet, MemoryTraffic& traffic);

  // When a wave that has come to `op` at `clock` has it.
  uint64_t available(Buffer& buffer, const Op& op, uint64_t clock);

 private:
  uint64_t fetch(uint64_t block, uint64_t clock);

  ChipletMemory& chiplet_;
  MemoryTraffic& traffic_;
  Cache cache_{instruction_cache_bytes, instruction_line_bytes, instruction_cache_ways};
  Server port_;
};

} // namespace fmha950::timing
