#pragma once
// Addresses of FLAT, GLOBAL and SCRATCH instructions (machine_gfx950.md section 4.3).

#include "emulator/isa/vmem.hpp"

namespace fmha950::isa::FMHA950_SIMD {

constexpr int saddr_off = 0x7F;
constexpr uint32_t scratch_dword_stride = 256; // dwords of the 64 lanes are interleaved

FMHA950_INLINE Lanes<uint64_t> vgpr_pair(const Wave& wave, int vgpr) {
  const auto low = __builtin_convertvector(load_lanes<uint32_t>(wave.lanes(vgpr)), Lanes<uint64_t>);
  const auto high = __builtin_convertvector(load_lanes<uint32_t>(wave.lanes(vgpr + 1)), Lanes<uint64_t>);
  return low | high << 32;
}
FMHA950_INLINE uint64_t signed_offset(const Instruction& in) {
  return static_cast<uint64_t>(static_cast<int64_t>(in.offset));
}

// saddr + zero-extended VGPR (rocjitsu sign-extends; what LLVM emits relies on zero extension, section 7
// item 2), or VGPR pair; plus a signed offset.
FMHA950_SHARED inline void global_addresses(Wave& wave, Access& access, const Instruction& in) {
  access.lanes = wave.exec();
  Lanes<uint64_t> address;
  if (in.saddr == saddr_off)
    address = vgpr_pair(wave, in.vaddr) + signed_offset(in);
  else
    address = __builtin_convertvector(load_lanes<uint32_t>(wave.lanes(in.vaddr)), Lanes<uint64_t>) +
              (wave.sgpr64(in.saddr) + signed_offset(in));
  store_lanes(access.address, address);
}

// Private byte offset o of lane l: base + o/4 * 256 + l * 4 + o % 4.
FMHA950_INLINE Lanes<uint64_t> scratch_address(const Wave& wave, Lanes<uint32_t> offset) {
  const auto wide = __builtin_convertvector(offset, Lanes<uint64_t>);
  const auto lane = __builtin_convertvector(lane_ids() * 4, Lanes<uint64_t>);
  return wide / 4 * scratch_dword_stride + lane + wide % 4 + wave.scratch_base;
}
FMHA950_SHARED inline void scratch_addresses(Wave& wave, Access& access, const Instruction& in) {
  const bool uses_vgpr = in.words[0] >> 13 & 1; // SVE
  access.lanes = wave.exec();
  uint32_t base = static_cast<uint32_t>(in.offset);
  if (in.saddr != saddr_off) base += wave.sgpr[in.saddr];
  Lanes<uint32_t> offset = Lanes<uint32_t>{} + base;
  if (uses_vgpr) offset += load_lanes<uint32_t>(wave.lanes(in.vaddr));
  access.swizzled = access.lanes;
  access.dword_stride = scratch_dword_stride;
  store_lanes(access.address, scratch_address(wave, offset));
}

// FLAT owes both counters even when one of its two operations has no lanes (machine_gfx950.md section 1.1):
// where counters or a listener matter, both are issued.
FMHA950_INLINE bool owes_both(const Wave& wave) { return !wave.memory.eager() || wave.listener; }

// A FLAT instruction is two operations: one on the lanes whose address lies in the LDS aperture ...
FMHA950_INLINE uint64_t lanes_in_lds(const Wave& wave, const Instruction& in) {
  const auto address = vgpr_pair(wave, in.vaddr) + signed_offset(in);
  return wave.exec() & lanes_true(address >> 32 == machine::shared_aperture >> 32);
}
FMHA950_SHARED inline void flat_lds_addresses(Wave& wave, Access& access, const Instruction& in,
                                              uint64_t in_lds) {
  access.lanes = in_lds;
  store_lanes(access.lds_address,
              load_lanes<uint32_t>(wave.lanes(in.vaddr)) + static_cast<uint32_t>(in.offset));
}
// ... and one on device memory and scratch.
FMHA950_SHARED inline void flat_addresses(Wave& wave, Access& access, const Instruction& in,
                                          uint64_t in_lds) {
  const auto address = vgpr_pair(wave, in.vaddr) + signed_offset(in);
  access.lanes = wave.exec() & ~in_lds;
  access.swizzled = access.lanes & lanes_true(address >> 32 == machine::private_aperture >> 32);
  store_lanes(access.address, address);
  if (access.swizzled) [[unlikely]] {
    access.dword_stride = scratch_dword_stride;
    const auto offset = __builtin_convertvector(address, Lanes<uint32_t>);
    store_lanes(access.address, blend(address, scratch_address(wave, offset), access.swizzled));
  }
}

} // namespace fmha950::isa::FMHA950_SIMD
