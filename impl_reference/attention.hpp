#pragma once
// Softmax attention of some rows over all the keys they see, in the arithmetic of `Scalar`: double is the
// truth, float with P rounded is the plain low-precision implementation of DESIGN.md section 7.

#include "impl_reference/gather.hpp"

namespace fmha950::reference {

// How P enters the second product. Probabilities are 2^shift times as large there; the sum is of unrounded
// ones.
template <class Scalar> struct PRounding {
  Scalar shift = 0;                  // in powers of two
  Scalar (*round)(Scalar) = nullptr; // null: exact
};

// The rows are of one request and of query heads that share one KV head. Writes output and lse at each row's
// place.
template <class Scalar>
void attend(const Gather& gather, int kv_head, std::span<const QueryHead> rows,
            const PRounding<Scalar>& rounding, AttentionRows& result);

extern template void attend(const Gather&, int, std::span<const QueryHead>, const PRounding<double>&,
                            AttentionRows&);
extern template void attend(const Gather&, int, std::span<const QueryHead>, const PRounding<float>&,
                            AttentionRows&);

} // namespace fmha950::reference
