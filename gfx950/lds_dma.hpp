#pragma once
// LDS DMA: memory to LDS without registers (machine_gfx950.md section 3.2). Every lane names its own source;
// the destination is the wave's (M0), and lane i's bytes land at destination + lds_dma_slot<BYTES> * i.
// Inactive lanes leave their slot alone. Counts in vmcnt.

#include "gfx950/buffer_resource.hpp"
#include "gfx950/lds.hpp"

namespace fmha950::gfx950 {

// What one lane moves. 8 bytes is the trap: code that chooses among the instructions by size and has none for
// it moves nothing, and nobody is told. (The builtins take literals only, hence the choice by size below.)
template <int BYTES> consteval int lds_dma_bytes() {
  static_assert(BYTES == 1 || BYTES == 2 || BYTES == 4 || BYTES == 12 || BYTES == 16,
                "LDS DMA moves 1, 2, 4, 12 or 16 bytes per lane; no other size exists, not even 8");
  return BYTES;
}

// Bytes from one lane's slot to the next. One and two bytes are widened to 4 by zeros; 12 bytes leave the
// last 4 of their slot alone.
template <int BYTES> constexpr int lds_dma_slot = lds_dma_bytes<BYTES>() > 4 ? 16 : 4;

// From `offset` in a buffer, counted from `scalar_offset` on, which is the wave's; what lies beyond its end
// arrives as zeros.
template <int BYTES>
FMHA950_INLINE void load_to_lds(BufferResource source, uint32_t offset, LdsPointer destination,
                                uint32_t scalar_offset = 0) {
  constexpr int bytes = lds_dma_bytes<BYTES>();
  if constexpr (bytes == 1)
    __builtin_amdgcn_raw_ptr_buffer_load_lds(source, destination, 1, offset, scalar_offset, 0, 0);
  else if constexpr (bytes == 2)
    __builtin_amdgcn_raw_ptr_buffer_load_lds(source, destination, 2, offset, scalar_offset, 0, 0);
  else if constexpr (bytes == 4)
    __builtin_amdgcn_raw_ptr_buffer_load_lds(source, destination, 4, offset, scalar_offset, 0, 0);
  else if constexpr (bytes == 12)
    __builtin_amdgcn_raw_ptr_buffer_load_lds(source, destination, 12, offset, scalar_offset, 0, 0);
  else if constexpr (bytes == 16)
    __builtin_amdgcn_raw_ptr_buffer_load_lds(source, destination, 16, offset, scalar_offset, 0, 0);
}

// From a 64-bit address. OFFSET is the instruction's own: it counts on both sides, in memory and in LDS.
template <int BYTES, int OFFSET = 0>
FMHA950_INLINE void load_to_lds(const void* source, LdsPointer destination) {
  static_assert(OFFSET >= -4096 && OFFSET < 4096, "global offsets have 13 bits");
  constexpr int bytes = lds_dma_bytes<BYTES>();
  const auto from = (__attribute__((address_space(1))) void*)(const_cast<void*>(source));
  if constexpr (bytes == 1)
    __builtin_amdgcn_global_load_lds(from, destination, 1, OFFSET, 0);
  else if constexpr (bytes == 2)
    __builtin_amdgcn_global_load_lds(from, destination, 2, OFFSET, 0);
  else if constexpr (bytes == 4)
    __builtin_amdgcn_global_load_lds(from, destination, 4, OFFSET, 0);
  else if constexpr (bytes == 12)
    __builtin_amdgcn_global_load_lds(from, destination, 12, OFFSET, 0);
  else if constexpr (bytes == 16)
    __builtin_amdgcn_global_load_lds(from, destination, 16, OFFSET, 0);
}

} // namespace fmha950::gfx950
