#pragma once
// VGPR indexing: while MODE.gpr_idx_en is set, M0 moves the VGPRs of VALU instructions (machine_gfx950.md section 1.2;
// ISA guide 6.6). Memory instructions are left alone.

#include "emulator/program/instruction.hpp"

#include <optional>

namespace fmha950::isa {

struct VgprIndex {
  uint8_t distance = 0; // what is added to a register's number
  uint8_t operands = 0; // bits 0 to 2: the sources as the VALU receives them; bit 3: the destination
  static constexpr VgprIndex of_m0(uint32_t m0) {
    return {static_cast<uint8_t>(m0), static_cast<uint8_t>(m0 >> 12 & 15)};
  }
  friend constexpr bool operator==(VgprIndex, VgprIndex) = default;
};

// The instruction with its registers moved, encoding included, as a wave with so many registers executes it. The guide
// calls registers out of range illegal here. Elsewhere it says what they do (section 1.2), which is what is done: a source
// becomes v0, and an instruction with such a destination does nothing, for which nothing is returned.
std::optional<Instruction> indexed(const Instruction& in, VgprIndex index, uint32_t accum_offset,
                                   uint32_t vgpr_count);

} // namespace fmha950::isa
