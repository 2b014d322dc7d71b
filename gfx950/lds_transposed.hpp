#pragma once
// Transposed LDS reads by the type of the elements (machine_gfx950.md section 3.1; lds.hpp says why inline
// assembly).

#include "gfx950/lds.hpp"
#include "gfx950/mfma_chunk.hpp"

namespace fmha950::gfx950 {

// 8 bytes of one column per lane from address + OFFSET, within every 16 lanes: lane l receives column l
// of 16.
//   16-bit: lane l addresses 8 bytes (columns 4 (l % 4) to + 3) of row l / 4 of a 4 x 16 block.
//   fp8: lane l addresses 8 bytes (columns 8 (l % 2) to + 7) of row l / 2 of an 8 x 16 block.
// All 64 lanes must be active; the rows may be anywhere.
template <class Element, int OFFSET>
FMHA950_INLINE void read_lds_columns(Word2& destination, uint32_t address) {
  static_assert(OFFSET >= 0 && OFFSET < 65536, "DS offsets have 16 bits");
  if constexpr (__is_same(Element, fp8))
    asm volatile("ds_read_b64_tr_b8 %0, %1 offset:%2"
                 : "=v"(destination)
                 : "v"(address), "n"(OFFSET)
                 : "memory");
  else
    read_lds_transposed<OFFSET>(destination, address);
}

} // namespace fmha950::gfx950
