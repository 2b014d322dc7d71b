#pragma once
// Softmax attention of some rows over all the keys that they see: in double, which is the truth, and in float with P rounded,
// which is the plain low-precision implementation of DESIGN.md section 7.

#include "impl_reference/attention/gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

AttentionRows exact_attention(const Gather& gather, const std::vector<QueryRow>& rows, ScoresOfRows scores);
AttentionRows plain_attention(const Gather& gather, const std::vector<QueryRow>& rows,
                              const ProbabilityRounding& rounding);

} // namespace fmha950::reference::FMHA950_SIMD
