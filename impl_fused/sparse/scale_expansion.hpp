#pragma once
// Scales for the second product: fp32, [scale blocks, 16 rows] of a part. In the split format they come
// so from memory; the E8M0 bytes of the packed one are expanded while the first product runs, by all waves
// alike: a lane takes two bytes of a row.

#include "gfx950/convert.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

template <class Format, class Lds> struct ScaleExpansion {
  static constexpr bool needed = false;
  static constexpr int part_bytes = Lds::part_bytes;
};

template <class Lds> struct ScaleExpansion<Packed, Lds> {
  static constexpr bool needed = true;
  static constexpr int part_bytes = Lds::expanded_part_bytes;

  // An E8M0 byte is the exponent of an fp32 number; `Exact`: also where that is subnormal (0, 2^-127), which
  // does not matter to a conversion, which looks at the exponent alone.
  template <bool Exact> static FMHA950_INLINE uint32_t expanded_scale(uint32_t byte) {
    return Exact ? bits_as<uint32_t>(e8m0_value(byte)) : byte << 23;
  }

  template <bool Exact> static FMHA950_INLINE void expand(uint32_t tile, uint32_t expanded, uint32_t wave) {
    const uint32_t part = wave % parts, row = lane_id() % 16;
    // The upper rows in another order, which frees the writes of bank conflicts.
    const uint32_t block = wave / parts * 8 + (lane_id() / 16 ^ row / 8) * 2;
    uint32_t bytes;
    read_lds_word(bytes, tile + part * Lds::part_bytes + Part::place(row, nope_columns / 16) + block / 4 * 4);
    wait_lds<0>("scales_read");
    pin(bytes);
    bytes >>= 8 * (block % 4);
    const uint32_t place =
        expanded + part * part_bytes + PartScales::of_block(block) + PartScales::of_row(row);
    write_lds_word<0>(place, expanded_scale<Exact>(bytes & 0xff));
    write_lds_word<PartScales::of_block(1)>(place, expanded_scale<Exact>(bytes >> 8 & 0xff));
  }
};

} // namespace fmha950::fused::sparse
