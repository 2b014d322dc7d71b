#pragma once
// The oracle's passes over keys and values. Those of an operator are compiled once for each width of the host's
// vectors (passes_of_gather.cpp): the one that the host has is chosen when the program runs.

#include "interface/oracle.hpp"

namespace fmha950::reference {

struct Passes {
  AttentionRows (*exact)(const Problem&, const Tensors&, const std::vector<QueryRow>&, OracleInput,
                         HiddenKeys, ScoresOfRows);
  AttentionRows (*plain)(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                         const ProbabilityRounding&);
  AuditSums (*audit)(const Problem&, const Tensors&, const AttentionRows& exact, const ProbabilityRounding&,
                     const AttentionRows& plain, const AttentionRows& got);
};

// `baseline` runs everywhere.
struct PassesOfWidths {
  const Passes &baseline, &avx2, &avx512;
};

// The passes of the width FMHA950_SIMD names (avx512, avx2, baseline), or of the widest that the host has.
const Passes& chosen(const PassesOfWidths& passes);

} // namespace fmha950::reference

// Declares passes_of_OPERATOR(), inside namespace fmha950::reference. CMake's fmha950_operator_passes() defines them.
#ifdef FMHA950_ONE_WIDTH // cmake/Widths.cmake
#define FMHA950_PASSES_OF(OPERATOR)                                                                          \
  namespace simd_baseline {                                                                                  \
  extern const Passes OPERATOR##_passes;                                                                     \
  }                                                                                                          \
  inline PassesOfWidths passes_of_##OPERATOR() {                                                             \
    return {simd_baseline::OPERATOR##_passes, simd_baseline::OPERATOR##_passes,                              \
            simd_baseline::OPERATOR##_passes};                                                               \
  }
#else
#define FMHA950_PASSES_OF(OPERATOR)                                                                          \
  namespace simd_baseline {                                                                                  \
  extern const Passes OPERATOR##_passes;                                                                     \
  }                                                                                                          \
  namespace simd_avx2 {                                                                                      \
  extern const Passes OPERATOR##_passes;                                                                     \
  }                                                                                                          \
  namespace simd_avx512 {                                                                                    \
  extern const Passes OPERATOR##_passes;                                                                     \
  }                                                                                                          \
  inline PassesOfWidths passes_of_##OPERATOR() {                                                             \
    return {simd_baseline::OPERATOR##_passes, simd_avx2::OPERATOR##_passes, simd_avx512::OPERATOR##_passes}; \
  }
#endif
