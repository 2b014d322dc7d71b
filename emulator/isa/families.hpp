#pragma once
// Every instruction family, one file each:
// emulator/isa/<family>.cpp defines `extern const Rows rows_<family>`.

#include "emulator/program/row.hpp"

// clang-format off: one line per family, so that parallel changes merge
#define FMHA950_FAMILIES(FAMILY) \
  FAMILY(control) \
  FAMILY(salu) \
  FAMILY(sop1) \
  FAMILY(mfma) \
  FAMILY(mfma_f8f6f4) \
  FAMILY(mfma_f64) \
  FAMILY(mfma_sparse) \
  FAMILY(convert) \
  FAMILY(convert_small) \
  FAMILY(convert_scaled) \
  FAMILY(convert_scaled_32) \
  FAMILY(ds) \
  FAMILY(ds_exchange) \
  FAMILY(mubuf) \
  FAMILY(buffer_formatted) \
  FAMILY(flat) \
  FAMILY(smem) \
  FAMILY(vmem_atomic) \
  FAMILY(ds_atomic) \
  FAMILY(valu_f32) \
  FAMILY(valu_int) \
  FAMILY(valu_bits) \
  FAMILY(valu_compare) \
  FAMILY(lane) \
  FAMILY(transcendental) \
  FAMILY(packed) \
  FAMILY(valu_f64) \
  FAMILY(valu_f16) \
  FAMILY(valu_int16) \
  FAMILY(valu_bytes) \
  FAMILY(valu_scale) \
  FAMILY(valu_division) \
  FAMILY(packed_dot)
// clang-format on

namespace fmha950::isa {

struct Family {
  const char* name;
  Rows rows;
};

#define FMHA950_DECLARE_FAMILY(name) extern const Rows rows_##name;
namespace simd_baseline {
FMHA950_FAMILIES(FMHA950_DECLARE_FAMILY)
}
#ifdef FMHA950_ONE_WIDTH // cmake/Widths.cmake
namespace simd_avx2 = simd_baseline;
namespace simd_avx512 = simd_baseline;
#else
namespace simd_avx2 {
FMHA950_FAMILIES(FMHA950_DECLARE_FAMILY)
}
namespace simd_avx512 {
FMHA950_FAMILIES(FMHA950_DECLARE_FAMILY)
}
#endif
#undef FMHA950_DECLARE_FAMILY

} // namespace fmha950::isa
