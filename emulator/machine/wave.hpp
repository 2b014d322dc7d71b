#pragma once
// One wave64: registers, program position and memory operations in flight.

#include "emulator/machine/memory_queue.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/program/instruction.hpp"

#include <cstdint>
#include <cstring>

namespace fmha950::machine {

class WorkgroupListener;
struct Workgroup;

// SGPR codes of the ISA guide's operand table (section 3.1); registers live in Wave::sgpr under their code.
namespace code {
constexpr int flat_scratch = 102, xnack_mask = 104, vcc = 106, ttmp = 108, m0 = 124, exec = 126;
constexpr int shared_base = 235, shared_limit = 236, private_base = 237, private_limit = 238;
constexpr int vccz = 251, execz = 252, scc = 253;
} // namespace code

// Bits of MODE that change which vector instructions execute, and on which registers (machine_gfx950.md section 1.3).
namespace mode_bit {
constexpr uint32_t vgpr_indexing = 1u << 27, vskip = 1u << 28;
} // namespace mode_bit

enum class WaveState : uint8_t { running, at_barrier, ended };

struct Wave {
  alignas(64) uint32_t sgpr[128] = {};
  uint32_t* vgpr = nullptr; // [vgpr_count][64], lane-contiguous; AccVGPR a0 is at accum_offset
  uint32_t vgpr_count = 0;
  uint32_t accum_offset = 0;
  uint32_t mode = 0; // MODE register (machine_gfx950.md section 1.3)
  bool scc = false;
  WaveState state = WaveState::running;
  uint8_t priority = 0;                      // s_setprio
  const isa::Instruction* current = nullptr; // executing, for faults
  const isa::Instruction* next = nullptr;    // instruction after the one executing; branches write it
  int index = 0;                             // within the workgroup
  uint64_t scratch_base = 0;                 // device address of this wave's swizzled scratch
  uint64_t executed = 0;                     // instructions so far
  Workgroup* workgroup = nullptr;
  WorkgroupListener* listener = nullptr; // null: nobody follows
  MemoryQueues memory;

  [[gnu::always_inline]] uint64_t sgpr64(int code) const {
    uint64_t value;
    std::memcpy(&value, sgpr + code, sizeof value);
    return value;
  }
  [[gnu::always_inline]] void set_sgpr64(int code, uint64_t value) {
    std::memcpy(sgpr + code, &value, sizeof value);
  }
  [[gnu::always_inline]] uint64_t exec() const { return sgpr64(code::exec); }
  [[gnu::always_inline]] void set_exec(uint64_t value) { set_sgpr64(code::exec, value); }
  [[gnu::always_inline]] uint64_t vcc() const { return sgpr64(code::vcc); }
  [[gnu::always_inline]] uint32_t* lanes(int vgpr_index) const {
    return vgpr + 64 * static_cast<size_t>(vgpr_index);
  }

  // vccz, execz, scc, apertures: 32-bit value (high half of a 64-bit aperture).
  uint32_t special(int code) const;
};

} // namespace fmha950::machine
