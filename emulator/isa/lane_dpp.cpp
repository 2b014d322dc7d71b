#include "emulator/isa/lane_dpp.hpp"

#include "emulator/machine/fault.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

constexpr int row_lanes = 16, none = -1;

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
  default: machine::raise_fault("reserved DPP_CTRL");
  }
}

} // namespace

DppPattern dpp_pattern(uint32_t control, uint64_t exec) {
  const int dpp_control = control >> 8 & 0x1FF;
  const bool bound_control = control >> 19 & 1;
  const unsigned bank_mask = control >> 24 & 15, row_mask = control >> 28;
  DppPattern pattern;
  for (int lane = 0; lane < wave_lanes; ++lane) {
    const int from = source_lane(dpp_control, lane);
    const bool valid = from != none && (exec >> from & 1);
    const bool enabled = (row_mask >> (lane / row_lanes) & 1) && (bank_mask >> (lane / 4 % 4) & 1);
    pattern.source[lane] = static_cast<uint8_t>(valid ? from : 0);
    pattern.valid |= uint64_t{valid} << lane;
    pattern.written |= uint64_t{enabled && (valid || bound_control)} << lane;
  }
  pattern.written &= exec;
  return pattern;
}

} // namespace fmha950::isa::FMHA950_SIMD
