#pragma once
// Reading and writing LDS past the compiler's bookkeeping. An LDS address is the byte offset within the
// workgroup's allocation (32 bits, address space 3).
//
// The reads are inline assembly: clang's builtins (and plain loads that may alias) make it insert a full
// s_waitcnt vmcnt(0) while LDS DMA is in flight (toolchain.md, seen with clang 22), which would drain
// the next tiles' prefetch. The caller waits with wait_lds<n>() and then pins the registers (waits.hpp).

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

using LdsPointer = __attribute__((address_space(3))) void*;
using LdsBytes = __attribute__((address_space(3))) char*;

FMHA950_INLINE uint32_t lds_address(LdsPointer pointer) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer));
}

// 16 bytes per lane from address + OFFSET.
template <int OFFSET, class T> FMHA950_INLINE void read_lds(T& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b128 %0, %1 offset:%2" : "=v"(destination) : "v"(address), "n"(OFFSET) : "memory");
}

// 8 bytes per lane.
template <int OFFSET> FMHA950_INLINE void read_lds_half(Word2& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b64 %0, %1 offset:%2" : "=v"(destination) : "v"(address), "n"(OFFSET) : "memory");
}

// Transposed read of 16-bit elements, within every 16 lanes: lane l addresses 8 bytes (columns 4 (l % 4) to +
// 3) of row l / 4 of a 4 x 16 block and receives the 4 rows of column l (machine_gfx950.md section 3.1). All
// 64 lanes must be active; the rows may be anywhere.
template <int OFFSET> FMHA950_INLINE void read_lds_transposed(Word2& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b64_tr_b16 %0, %1 offset:%2"
               : "=v"(destination)
               : "v"(address), "n"(OFFSET)
               : "memory");
}

// Transposed read of bytes, within every 16 lanes: lane l addresses 8 bytes (columns 8 (l % 2) to + 7) of row
// l / 2 of an 8 x 16 block and receives the 8 rows of column l (machine_gfx950.md section 3.1). All 64 lanes
// must be active; the rows may be anywhere.
template <int OFFSET> FMHA950_INLINE void read_lds_transposed_bytes(Word2& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b64_tr_b8 %0, %1 offset:%2"
               : "=v"(destination)
               : "v"(address), "n"(OFFSET)
               : "memory");
}

// 16, 8 and 4 bytes per lane to address + OFFSET.
template <int OFFSET> FMHA950_INLINE void write_lds(uint32_t address, Word4 value) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_write_b128 %0, %1 offset:%2" : : "v"(address), "v"(value), "n"(OFFSET) : "memory");
}
template <int OFFSET> FMHA950_INLINE void write_lds(uint32_t address, Word2 value) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_write_b64 %0, %1 offset:%2" : : "v"(address), "v"(value), "n"(OFFSET) : "memory");
}
template <int OFFSET> FMHA950_INLINE void write_lds_word(uint32_t address, uint32_t value) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_write_b32 %0, %1 offset:%2" : : "v"(address), "v"(value), "n"(OFFSET) : "memory");
}

// 4 bytes per lane: lists of numbers, one per lane, that no tile layout is needed for.
template <int OFFSET = 0> FMHA950_INLINE void read_lds_word(uint32_t& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b32 %0, %1 offset:%2" : "=v"(destination) : "v"(address), "n"(OFFSET) : "memory");
}

} // namespace fmha950::gfx950
