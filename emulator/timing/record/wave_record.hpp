#pragma once
// What the waves of a workgroup executed, in program order: what the cycle model replays.

#include "emulator/memory/address_space.hpp"
#include "emulator/timing/record/op.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace fmha950::timing {

struct MemoryAccess {
  enum class Path : uint8_t { lds, vector, scalar };
  uint32_t step = 0; // of the wave, from 0
  Path path = Path::lds;
  bool store = false;
  uint16_t clocks = 0;                // of the LDS, or of the unit that coalesces addresses
  uint16_t dma_clocks = 0;            // of the LDS, once data of LDS DMA arrive
  uint32_t bytes = 0;                 // of memory, all lanes
  uint32_t first_line = 0, lines = 0; // in WaveRecord::lines
};

// As the counters SQ_INSTS_LDS and SQ_LDS_BANK_CONFLICT count; LDS DMA is in neither.
struct LdsCounts {
  uint64_t instructions = 0, conflicts = 0;
};

struct WaveRecord {
  std::vector<uint32_t> ops;          // by step: index in KernelRecord::ops
  std::vector<MemoryAccess> accesses; // ascending steps
  std::vector<uint64_t> lines;        // of memory, by number: of 128 bytes (vector) or 64 (scalar)
  LdsCounts lds;
};

struct WorkgroupRecord {
  uint64_t linear_id = 0;
  std::vector<WaveRecord> waves;
  // Lines of vector memory that its neighbour on a CU touches, too, ascending (neighbour.hpp). Nothing: its neighbour was not
  // executed, and is taken to touch the same.
  std::optional<std::vector<uint64_t>> shared = {};
};

// Calls visit(line) of each line of vector memory that the workgroup touches, in the order of its waves and their accesses, as
// often as it is touched.
template <class Workgroup, class Visit> void for_each_vector_line(Workgroup& workgroup, const Visit& visit) {
  for (auto& wave : workgroup.waves)
    for (const MemoryAccess& access : wave.accesses)
      if (access.path == MemoryAccess::Path::vector)
        for (uint32_t i = access.first_line; i < access.first_line + access.lines; ++i) visit(wave.lines[i]);
}

struct KernelRecord {
  std::vector<Op> ops;                     // ascending addresses
  std::vector<WorkgroupRecord> workgroups; // ascending linear ids
  std::vector<machine::Extent> touched;    // allocations in which they touch a line, ascending
  int workgroups_per_cu = 1;               // that registers, LDS and wave slots hold at a time
  uint64_t grid_workgroups = 0;
  uint64_t executed_workgroups = 0; // also those that were not recorded
  uint64_t matrix_flops = 0;        // of the dense products that these executed
};

} // namespace fmha950::timing
