#pragma once
// One number per key of a tile, from LDS to the lanes that hold the key's scores.

#include "attention/key_mask.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> struct KeyDescales {
  Float4 quads[Variant::key_blocks][4]; // item 4 q + i of block b in element i of [b][q]

  // Starts to read the list at `begin` in LDS; the caller waits, then pins the quads.
  FMHA950_INLINE void read(uint32_t begin) {
    using Order = attention::ConsecutiveOrder;
    const uint32_t address = begin + summand(lane_id() / 32 * Order::upper_half * 4, "descale_of_key");
    unrolled<Variant::key_blocks>([&](auto block) {
      unrolled<4>([&](auto quad) { read_lds<Order::of(block, 4 * quad) * 4>(quads[block][quad], address); });
    });
  }

  FMHA950_INLINE void multiply(Float16 (&items)[Variant::key_blocks]) const {
    for (int block = 0; block < Variant::key_blocks; ++block)
      for (int r = 0; r < 16; ++r) items[block][r] *= quads[block][r / 4][r % 4];
  }

  // Whether the largest of the tile is more than `ratio` times the smallest; the same for the wave.
  FMHA950_INLINE bool spread_over(float ratio) const {
    float smallest = quads[0][0][0], largest = smallest;
    for (const auto& block : quads)
      for (const Float4& quad : block)
        for (int i = 0; i < 4; ++i) {
          smallest = __builtin_fminf(smallest, quad[i]);
          largest = __builtin_fmaxf(largest, quad[i]);
        }
    smallest = across_halves(smallest, [](float a, float b) { return __builtin_fminf(a, b); });
    largest = across_halves(largest, [](float a, float b) { return __builtin_fmaxf(a, b); });
    return __builtin_amdgcn_ballot_w64(largest > smallest * ratio) != 0;
  }
};

} // namespace fmha950::baseline
