#pragma once
// The oracle's passes over keys and values, compiled once for each width of the host's vectors: the one that
// the host has is chosen when the program runs. `baseline` runs everywhere.

#include "interface/oracle.hpp"

namespace fmha950::reference {

struct Passes {
  AttentionRows (*exact)(const Problem&, const Tensors&, const std::vector<QueryRow>&, OracleInput,
                         HiddenKeys);
  AttentionRows (*plain)(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                         const ProbabilityRounding&);
  AuditSums (*audit)(const Problem&, const Tensors&, const AttentionRows& exact, const ProbabilityRounding&,
                     const AttentionRows& plain, const AttentionRows& got);
};

namespace simd_baseline {
extern const Passes passes;
}
#ifdef FMHA950_ONE_WIDTH // CMakeLists.txt
namespace simd_avx2 = simd_baseline;
namespace simd_avx512 = simd_baseline;
#else
namespace simd_avx2 {
extern const Passes passes;
}
namespace simd_avx512 {
extern const Passes passes;
}
#endif

// FMHA950_SIMD (avx512, avx2, baseline) or the widest that the host has.
const Passes& passes();

} // namespace fmha950::reference
