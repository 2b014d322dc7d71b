#pragma once
// Transposed reads of elements of 4 bits from LDS. lds.hpp says what holds for all reads.

#include "gfx950/lds.hpp"

namespace fmha950::gfx950 {

// Within every 16 lanes: lane l addresses 8 bytes (16 columns) of row l of a 16 x 16 block and receives the 16 rows of column l,
// row 0 in the lowest bits. All 64 lanes must be active; the rows may be anywhere. No source that we know has seen this on a GPU
// (machine_gfx950.md section 3.1).
template <int OFFSET> FMHA950_INLINE void read_lds_transposed_nibbles(Word2& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  asm volatile("ds_read_b64_tr_b4 %0, %1 offset:%2"
               : "=v"(destination)
               : "v"(address), "n"(OFFSET)
               : "memory");
}

} // namespace fmha950::gfx950
