#pragma once
// A global load that the compiler does not wait for: its wait is ours to place among LDS DMA (waits.hpp).

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

// 4 bytes per lane from base + offset (unsigned, bytes; machine_gfx950.md section 4.3). Counts in vmcnt.
FMHA950_INLINE void load_global(uint32_t& destination, const void* base, uint32_t offset) {
  asm volatile("global_load_dword %0, %1, %2" : "=v"(destination) : "v"(offset), "s"(base) : "memory");
}

} // namespace fmha950::gfx950
