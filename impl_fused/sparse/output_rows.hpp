#pragma once
// Results as they are stored: in a block of 16 rows of O^T a lane has rows 4 (l / 16) to 4 (l / 16) + 3, four
// neighbouring columns of the output of its head.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

// `block`: the block's first column of the row.
FMHA950_INLINE void store_quad(bf16* block, Float4 values) {
  const auto low = round_pair<bf16>(Float2{values[0], values[1]});
  const auto high = round_pair<bf16>(Float2{values[2], values[3]});
  *reinterpret_cast<Word2*>(block + lane_id() / 16 * 4) =
      Word2{bits_as<uint32_t>(low), bits_as<uint32_t>(high)};
}

} // namespace fmha950::fused::sparse
