#pragma once
// Softmax attention of some rows over all the keys they see, in the arithmetic of `Scalar`: double is the
// truth, float with P rounded is the plain low-precision implementation of DESIGN.md section 7.

#include "impl_reference/attention/gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// How P enters the second product (interface/oracle.hpp, ProbabilityRounding).
template <class Scalar> struct PRounding {
  Scalar shift = 0;                  // in powers of two
  Scalar (*round)(Scalar) = nullptr; // null: exact
  bool weighted = false, unit_follows = false, sum_rounded = false;
};

// The rows share their keys: those of one request and KV head, or of one token's lists. `Gather` is
// PagedGather, AppendGather or ListGather. Writes output and lse at each row's place.
template <class Scalar, class Gather>
void attend(const Gather& gather, std::span<const QueryHead> rows, const PRounding<Scalar>& rounding,
            AttentionRows& result);

} // namespace fmha950::reference::FMHA950_SIMD
