#pragma once
// Fields of s_waitcnt's SIMM16: {vmcnt[5:4] 15:14, lgkmcnt 11:8, expcnt 6:4, vmcnt[3:0] 3:0}
// (machine_gfx950.md section 1.1). EXPCNT is unused on CDNA4.

#include <cstdint>

namespace fmha950::isa {

struct Waitcnt {
  int vmcnt = 0, lgkmcnt = 0;
};
constexpr Waitcnt waitcnt_of(int32_t simm16) {
  return {(simm16 & 0xF) | (simm16 >> 10 & 0x30), simm16 >> 8 & 0xF};
}
constexpr int16_t with_waitcnt(int32_t simm16, Waitcnt wait) { // its other fields as they are
  const int vmcnt = (wait.vmcnt & 0xF) | (wait.vmcnt & 0x30) << 10;
  return static_cast<int16_t>((simm16 & 0x70) | vmcnt | wait.lgkmcnt << 8);
}

} // namespace fmha950::isa
