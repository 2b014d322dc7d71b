#pragma once
// E8M0 scales as the operands of the scaled matrix instructions: for step s of 128 columns lane l names the
// scale of block l / 16 of 32 columns of row l % 16. The blocks of the last step beyond column 448 have 1.

#include "gfx950/lds.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

constexpr uint32_t e8m0_one = 127;

FMHA950_INLINE bool beyond_columns() { return lane_id() >= 32 && protection("padding_scale"); }

template <class Format, class Lds> struct ScaleBytes;

// fp32 powers of two, a scale for two blocks: shifted by one bit the exponent is byte 3.
template <class Lds> struct ScaleBytes<Split, Lds> {
  static constexpr int reads = 4, key_byte = 3;
  using Stored = uint32_t[4];

  static FMHA950_INLINE uint32_t half() { return protection("scale_of_half") ? lane_id() / 32 : 0; }

  static FMHA950_INLINE uint32_t of_query(const Rows& q, uint64_t row) {
    const auto* scales = reinterpret_cast<const uint32_t*>(q.scale) + row * Split::scale_blocks;
    uint32_t bytes = beyond_columns() ? e8m0_one << 24 : scales[6] >> 23 << 24;
    for (int step = 0; step < 3; ++step) bytes |= scales[2 * step + half()] >> 23 << 8 * step;
    return bytes;
  }

  template <int BEGIN> static FMHA950_INLINE void read(Stored& stored, uint32_t tile) {
    const uint32_t address = tile + PartScales::of_block(half()) + PartScales::of_row(lane_id() % 16);
    unrolled<4>([&](auto step) {
      read_lds_word<BEGIN + Lds::scales + PartScales::of_block(2 * step)>(stored[step], address);
    });
  }
  // What read() has read, to operands: byte key_byte of number s is that of step s.
  static FMHA950_INLINE void to_operands(Stored& stored) {
    pin(stored);
    for (uint32_t& scale : stored) scale <<= 1;
    if (beyond_columns()) stored[3] = e8m0_one << 24;
  }
};

// Bytes behind a row's columns.
template <class Lds> struct ScaleBytes<Packed, Lds> {
  static constexpr int reads = 1, key_byte = 0;
  using Stored = Word4;

  static FMHA950_INLINE uint32_t block() { return protection("scale_of_half") ? lane_id() / 16 : 0; }

  static FMHA950_INLINE uint32_t of_query(const Rows& q, uint64_t row) {
    const uint8_t* scales = q.nope + row * Packed::nope_row_bytes + nope_columns + block();
    const uint32_t last = beyond_columns() ? e8m0_one : scales[12];
    return scales[0] | scales[4] << 8 | scales[8] << 16 | last << 24;
  }

  template <int BEGIN> static FMHA950_INLINE void read(Stored& stored, uint32_t tile) {
    read_lds<BEGIN>(stored, tile + Part::place(lane_id() % 16, nope_columns / 16));
  }
  static FMHA950_INLINE void to_operands(Stored& stored) {
    pin(stored);
    for (int step = 0; step < 4; ++step) stored[step] >>= 8 * block();
    if (beyond_columns()) stored[3] = e8m0_one;
  }
};

} // namespace fmha950::fused::sparse
