#pragma once
// The noise of one row, from the sums over its keys.

#include "impl_reference/audit/output_noise.hpp"
#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// Squares of the errors by rounding P, summed over keys. `excess`: see Alignment.
struct ErrorSums {
  double squares = 0, fourth = 0, excess = 0;
};
struct KeyNoise {
  double plain = 0, along = 0, sum = 0;
  ErrorSums across, heard; // across o alone, across all directions
};

// What the noise is made of.
struct NoiseTerms {
  KeyNoise keys;
  OutputNoise output;
  double scale = 1; // the row's, AuditWeights
  double keys_seen = 0;
  double largest_p = 0; // unscaled
  double columns = 0;
  double directions = 0; // that are taken out
  double common = 0;
};

// Fills in all of `row` that is noise, and the weight that it gives the row.
void set_noise(AuditRow& row, const NoiseTerms& terms);

// The same of its LSE. `floor`: lse_rounding(). Errors are those of `got` and of the plain implementation.
void set_lse(AuditRow& row, const NoiseTerms& terms, double floor, double got, double plain);

} // namespace fmha950::reference::FMHA950_SIMD
