#pragma once
// Pages that are no power of two, as blocks that are one. Host and device include this file.

#include <stdint.h>

namespace fmha950::attention {

// A page is an odd number of blocks of 2^shift tokens, from 3 to 63, shift >= 4: a multiple of 16 up to 1,008. A key's page is
// the high half of (key >> shift) * reciprocal. With n = key >> shift < 2^26 + 2^5 (keys are below 2^30, and a tile's look-up may
// be a few tiles ahead) and reciprocal = (2^32 + e) / blocks, 0 < e < blocks <= 63, the product is n / blocks * 2^32 + n e / blocks,
// and n e < 2^32 is too little to reach the next whole number.
struct PageBlocks {
  uint32_t page_size;
  uint32_t shift;
  uint32_t reciprocal;
};

} // namespace fmha950::attention
