#pragma once
// Two fp4 (e2m1) in a byte: element 2 n in the lower half of byte n, as the matrix instructions and v_cvt_scalef32_pk_*_fp4 count
// them (facts 3.2, 4.2). OCP MX v1.0 leaves storage open.
#include "numerics/fp6.hpp"

namespace fmha950::numerics {

FMHA950_NUMERIC uint8_t fp4_code(uint8_t pair, int64_t index) {
  return uint8_t(index % 2 != 0 ? pair >> 4 : pair & 0x0f);
}
FMHA950_NUMERIC uint8_t with_fp4_code(uint8_t pair, int64_t index, uint8_t code) {
  return uint8_t(index % 2 != 0 ? (pair & 0x0f) | code << 4 : (pair & 0xf0) | code);
}

} // namespace fmha950::numerics
