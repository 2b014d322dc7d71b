#pragma once
// Single words to and from LDS: lists of numbers, one per lane, that no tile layout is needed for.

#include "gfx950/lds.hpp"

namespace fmha950::gfx950 {

// LDS DMA of 4 bytes per lane from 64-bit addresses, otherwise as load_to_lds (lds.hpp).
FMHA950_INLINE void load_to_lds_4(const void* source, LdsPointer destination) {
  using GlobalPointer = __attribute__((address_space(1))) void*;
  __builtin_amdgcn_global_load_lds((GlobalPointer)(const_cast<void*>(source)), destination, 4, 0, 0);
}

// 4 bytes per lane; inline assembly for lds.hpp's reason.
FMHA950_INLINE void read_lds_word(uint32_t& destination, uint32_t address) {
  asm volatile("ds_read_b32 %0, %1" : "=v"(destination) : "v"(address) : "memory");
}

} // namespace fmha950::gfx950
