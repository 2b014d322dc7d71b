#pragma once
// LDS DMA from anywhere in device memory: every lane brings a 64-bit address of its own, so that scattered
// pages and pools beyond 4 GiB need no buffer resource (lds.hpp has the form with one).

#include "gfx950/lds.hpp"

namespace fmha950::gfx950 {

// BYTES from `source` of lane i to destination + BYTES * i, where the destination is the same for the wave
// (global_load_lds_*; machine_gfx950.md section 3.2). BYTES is 4 or 16. Counts in vmcnt.
template <int BYTES> FMHA950_INLINE void load_global_to_lds(const void* source, LdsPointer destination) {
  static_assert(BYTES == 4 || BYTES == 16);
  auto* global = (__attribute__((address_space(1))) void*)source;
  if constexpr (BYTES == 4)
    __builtin_amdgcn_global_load_lds(global, destination, 4, 0, 0);
  else
    __builtin_amdgcn_global_load_lds(global, destination, 16, 0, 0);
}

// 4 bytes per lane from address + OFFSET (lds.hpp says why inline assembly).
template <int OFFSET> FMHA950_INLINE void read_lds_word(uint32_t& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b32 %0, %1 offset:%2" : "=v"(destination) : "v"(address), "n"(OFFSET) : "memory");
}

} // namespace fmha950::gfx950
