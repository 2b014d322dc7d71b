#pragma once
// What the cycle model finds: clocks of workgroups, what their waves waited for, how busy the units were. All
// of it is modelled, nothing measured.

#include "emulator/timing/model/memory_path.hpp"
#include "emulator/timing/record/op.hpp"

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace fmha950::timing {

// Every clock of a wave's life is one of these.
enum class Spent : uint8_t {
  issue,      // the 4 clocks of an instruction
  dependence, // a result of the VALU or a scalar one
  mfma_result,
  vmcnt,
  lgkmcnt,
  barrier,
  nop,    // s_nop and s_sleep
  branch, // taken
  fetch,  // of an instruction that the wave's buffer has not
  matrix_busy,
  valu_busy,
  lds_busy,
  vmem_busy,
  scalar_busy
};
inline constexpr int spent_kinds = static_cast<int>(Spent::scalar_busy) + 1;
const char* name_of(Spent spent);
using SpentClocks = std::array<uint64_t, spent_kinds>;

struct WorkgroupTime {
  uint64_t linear_id = 0, start = 0, end = 0;
};
struct OpTime { // of all waves
  uint64_t issues = 0;
  SpentClocks spent{}; // before its issue and on it
};

// What a timeline shows of a wave: its issues and what it waited for, each from the end of the one before.
struct WaveSpan {
  Spent spent = Spent::issue;
  uint32_t op = 0; // that issues, or that was held up
  uint64_t clock = 0, clocks = 0;
};
struct WaveTimeline {
  uint32_t cu = 0, simd = 0, workgroup = 0, wave = 0;
  std::vector<WaveSpan> spans;
};
struct Issued { // an instruction and its wave
  uint32_t cu = 0, simd = 0, workgroup = 0, wave = 0, op = 0;
};
// What a timeline shows of a unit: what holds it. Scalar unit and branches are only held on their turn at issue.
using Unit = std::variant<Pipe, MemoryPort>;
struct UnitSpan {
  Unit unit;
  Issued by;
  double clock = 0, clocks = 0;
};
struct Timeline {
  std::vector<WaveTimeline> waves;
  std::vector<UnitSpan> units;
};

struct Simulation {
  // Of a CU, from its begin until its last wave has ended; what was written has left L2 by then.
  uint64_t clocks = 0;
  int cus = 0;
  std::vector<WorkgroupTime> workgroups;
  SpentClocks spent{};                // of all waves
  std::array<uint64_t, pipes> busy{}; // clocks: matrix and VALU of 4 SIMDs, LDS and address unit of CUs
  std::array<uint64_t, matrix_formats> matrix{}; // the matrix pipe's by format
  std::array<uint64_t, pipes> issued{};          // instructions
  std::vector<OpTime> ops;                       // by index in KernelRecord::ops
  MemoryTraffic traffic;
  Timeline timeline; // if asked for
};

} // namespace fmha950::timing
