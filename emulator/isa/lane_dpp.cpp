#include "emulator/isa/lane_dpp.hpp"

#include "emulator/memory/fault.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

constexpr int row_lanes = 16, none = -1, reserved = -2, controls = 512;

int in_row(int lane, int position) {
  return position >= 0 && position < row_lanes ? lane / row_lanes * row_lanes + position : none;
}

// Lane that `lane` reads, or none. Controls as LLVM SIDefines.h (DppCtrl) names them for GFX9.
int source_lane(int control, int lane) {
  const int position = lane % row_lanes, amount = control & 15;
  switch (control >> 4) {
  case 0x10: return in_row(lane, position + amount);                           // row_shl
  case 0x11: return in_row(lane, position - amount);                           // row_shr
  case 0x12: return in_row(lane, (position + row_lanes - amount) % row_lanes); // row_ror
  case 0x15: return in_row(lane, amount);                                      // row_newbcast
  }
  if (control < 0x100) return (lane & ~3) | (control >> (2 * (lane & 3)) & 3); // quad_perm
  switch (control) {
  case 0x130: return lane + 1 < wave_lanes ? lane + 1 : none; // wave_shl
  case 0x134: return (lane + 1) % wave_lanes;                 // wave_rol
  case 0x138: return lane - 1;                                // wave_shr
  case 0x13C: return (lane + wave_lanes - 1) % wave_lanes;    // wave_ror
  case 0x140: return in_row(lane, row_lanes - 1 - position);  // row_mirror
  case 0x141: return lane ^ 7;                                // row_half_mirror
  case 0x142: return lane / row_lanes * row_lanes - 1;        // row_bcast:15, row 0 reads nothing
  case 0x143: return lane >= 32 ? 31 : none;                  // row_bcast:31
  default: return reserved;
  }
}

struct Control {
  uint8_t source[wave_lanes] = {};
  uint64_t exists = 0; // lanes that have a source lane
  bool is_reserved = false;
};
struct Controls { // by DPP_CTRL
  Control entry[controls];
  Controls() {
    for (int control = 0; control < controls; ++control)
      for (int lane = 0; lane < wave_lanes; ++lane) {
        const int from = source_lane(control, lane);
        entry[control].is_reserved |= from == reserved;
        if (from < 0) continue;
        entry[control].source[lane] = static_cast<uint8_t>(from);
        entry[control].exists |= uint64_t{1} << lane;
      }
  }
};

// Lanes of the enabled rows (16 lanes) and, in every row, of the enabled banks (4 lanes).
uint64_t enabled_lanes(unsigned row_mask, unsigned bank_mask) {
  uint64_t rows = 0, banks = 0;
  for (int i = 0; i < 4; ++i) {
    if (row_mask >> i & 1) rows |= uint64_t{0xFFFF} << (16 * i);
    if (bank_mask >> i & 1) banks |= 0x000F'000F'000F'000Full << (4 * i);
  }
  return rows & banks;
}

} // namespace

DppPattern dpp_pattern(uint32_t control, uint64_t exec) {
  static const Controls table;
  const Control& chosen = table.entry[control >> 8 & 0x1FF];
  if (chosen.is_reserved) machine::raise_fault("reserved DPP_CTRL");
  const bool bound_control = control >> 19 & 1;
  uint64_t valid = chosen.exists;
  if (exec != ~uint64_t{0}) {
    alignas(64) uint32_t active[wave_lanes];
    store_lanes(active, expand(exec));
    valid &= lanes_true(gather_lanes(active, chosen.source) != 0u);
  }
  const uint64_t enabled = enabled_lanes(control >> 28, control >> 24 & 15);
  return {chosen.source, valid, exec & enabled & (bound_control ? ~uint64_t{0} : valid)};
}

} // namespace fmha950::isa::FMHA950_SIMD
