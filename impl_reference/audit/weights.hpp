#pragma once
// Weights of keys in the audit's rows.

#include "impl_reference/audit/owner_blocks.hpp"
#include "impl_reference/audit/probability_noise.hpp"

namespace fmha950::reference::FMHA950_SIMD {

struct AuditWeights {  // all [rows, keys]
  Matrix<float> p;     // normalised, times the row's scale; 0 where a row does not see a key
  Matrix<float> slope; // of p's logarithm by that of the score's scale: the score, less what a soft cap takes
  // A power of two of each row, 1 but where a sink logit leaves so little to all keys that squares of P would
  // vanish in fp32. What the audit knows of the row, o and errors, is as many times as large.
  std::vector<double> scale;
  Matrix<float> relative;  // what is rounded, over the row's largest
  std::vector<bool> exact; // of each row: P is rounded without an error, all of it is powers of two
  // For each key, how many keys are the same stored one. Their P are equal and have the same error, so that
  // their errors add up.
  Vector<float> copies;
};

AuditWeights audit_weights(OwnerBlocks& owner, std::span<const QueryHead> rows, const SharedKeys& shared,
                           const AttentionRows& exact, const ProbabilityRounding& rounding);

} // namespace fmha950::reference::FMHA950_SIMD
