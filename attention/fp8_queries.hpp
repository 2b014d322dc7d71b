#pragma once
// FP8 queries as the B operand of S^T = K Q^T.

#include "attention/query_rows.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::attention {

// Bytes 0-15 of step s are chunk 4 s + h of the lane's row of 64 STEPS bytes, bytes 16-31 chunk 4 s + 2 + h,
// h = l / 32.
template <int STEPS>
FMHA950_INLINE void load_fp8_queries(const uint8_t* q, const QueryRows& rows, Word8 (&queries)[STEPS]) {
  const auto* row = reinterpret_cast<const Word4*>(q + rows.index() * (64 * STEPS)) + lane_id() / 32;
  for (int step = 0; step < STEPS; ++step) queries[step] = joined(row[4 * step], row[4 * step + 2]);
  pin(queries);
}

} // namespace fmha950::attention
