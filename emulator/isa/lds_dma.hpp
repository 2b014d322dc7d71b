#pragma once
// LDS DMA: memory -> LDS without passing through registers (machine_gfx950.md section 3.2). Lane l's data
// goes to M0 + inst_offset + l * slot, where a slot is 4 bytes, or 16 for dwordx3 and dwordx4.

#include "emulator/isa/vmem.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class Shape> constexpr int dma_slot = Shape::registers > 1 ? 16 : 4;

FMHA950_INLINE uint32_t dma_base(const Wave& wave, const Instruction& in) {
  return (wave.sgpr[machine::code::m0] & 0x3FFFF) + static_cast<uint32_t>(in.offset);
}

// Up to a dword: data[0], contiguous as LDS will be. Wider: lane by lane in rows, contiguous too.
template <class Shape> FMHA950_INLINE void dma_effect(Wave& wave, Access& access) {
  if (access.irregular || access.swizzled || Shape::registers == 1) {
    memory_load<Shape>(wave, access);
    if constexpr (Shape::registers > 1) {
      alignas(64) uint32_t rows[64][4];
      for (int l = 0; l < 64; ++l)
        for (int d = 0; d < Shape::registers; ++d) rows[l][d] = access.data[d][l];
      __builtin_memcpy(access.rows, rows, sizeof rows);
    }
    return;
  }
  for (int l = 0; l < 64; ++l) __builtin_memcpy(access.rows[l], host(access.address[l]), Shape::bytes);
}

// Lanes whose target lies outside the workgroup's LDS are masked off, without a violation.
template <class Shape> FMHA950_INLINE void dma_deliver(Wave& wave, Access& access) {
  constexpr int slot = dma_slot<Shape>, bytes = 4 * Shape::registers;
  const uint64_t base = access.lds_base, size = wave.workgroup->lds_bytes;
  uint8_t* lds = wave.workgroup->lds;
  const auto* data = reinterpret_cast<const uint8_t*>(access.data);
  if (access.lanes == all_lanes && bytes == slot && base + 64 * slot <= size) [[likely]] {
    __builtin_memcpy(lds + base, data, 64 * slot);
    return;
  }
  for_each_lane(access.lanes, [&](int l) {
    const uint64_t target = static_cast<uint32_t>(base + static_cast<uint64_t>(l) * slot);
    if (target + bytes <= size) __builtin_memcpy(lds + target, data + l * slot, bytes);
  });
}

// `addresses` fills in the memory side.
template <class Shape, class Addresses>
FMHA950_INLINE void load_to_lds(Wave& wave, const Instruction& in, Addresses addresses) {
  start<Queue::vm, dma_effect<Shape>, dma_deliver<Shape>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        addresses(access);
        check_addresses(wave, access, Shape::bytes, false);
        access.lds_base = dma_base(wave, in);
      });
}

} // namespace fmha950::isa::FMHA950_SIMD
