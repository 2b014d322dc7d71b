#pragma once
// What is fixed when a kernel is compiled, and what follows from it.

#include "attention/tile_layout.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/mfma_fp4.hpp"
#include "gfx950/unroll.hpp"
#include "impl_fused/kernel_arguments.hpp"

namespace fmha950::fused {

using namespace gfx950;

// What scales K and V, besides numbers that hold for the whole tensor.
enum class Scales : uint8_t {
  tensor,  // nothing
  mx_keys, // Q and K: E8M0 per 32 columns
  mx,      // V, too: E8M0 per 32 keys and column
  page     // K and V: page descales, fp32
};

constexpr bool microscaled(Scales scales) { return scales == Scales::mx_keys || scales == Scales::mx; }

// What K and V consist of. e2m1 is always microscaled, K and V.
enum class Stored : uint8_t { e4m3, e2m1 };

constexpr int row_bytes(Stored stored) { return stored == Stored::e2m1 ? head_dim / 2 : head_dim; }
template <Stored STORED> using TileOf = attention::TileLayout<row_bytes(STORED)>;

// A lane's operand of 32 elements, and the instruction that multiplies it by one of Q or P.
template <Stored STORED> struct Operand {
  using Words = Word8;
  using Product = Fp8Mfma32x32x64;
};
template <> struct Operand<Stored::e2m1> {
  using Words = Word4;
  using Product = Fp4Fp8Mfma32x32x64;
};

constexpr int key_blocks = keys_per_tile / 32; // of 32 rows of S^T
constexpr int column_steps = head_dim / 64;    // of 64 columns, one matrix instruction
constexpr int column_blocks = head_dim / 32;   // of 32 rows of O^T

// Parity of a tile's number, from the first one on: which of its two places a tile has.
using Even = Constant<0>;
using Odd = Constant<1>;
template <int PARITY> constexpr Constant<1 - PARITY> other(Constant<PARITY>) { return {}; }

// LDS of one workgroup: two K tiles, two V tiles, and what every wave has for itself, which it reads without
// waiting for another wave: the pages of a tile's keys, and for two tiles the scales that come with K and
// with V, 4 bytes from every lane.
template <Stored STORED> struct LdsOf {
  using Tile = TileOf<STORED>;
  static constexpr uint32_t list_bytes = wave_lanes * 4;
  static constexpr uint32_t k_tile(uint32_t parity) { return parity * Tile::bytes; }
  static constexpr uint32_t v_tile(uint32_t parity) { return (2 + parity) * Tile::bytes; }
  static constexpr uint32_t page_lists = 4 * Tile::bytes;
  static constexpr uint32_t lists_of_wave = 2 * list_bytes;
  static constexpr uint32_t k_scales(uint32_t wave, uint32_t parity) {
    return page_lists + (waves + parity) * list_bytes + wave * lists_of_wave;
  }
  static constexpr uint32_t v_scales(uint32_t wave, uint32_t parity) {
    return k_scales(waves + wave, parity);
  }
  static constexpr uint32_t bytes(Scales scales) {
    return scales == Scales::mx       ? v_scales(waves, 0)
           : scales == Scales::tensor ? k_scales(0, 0)
                                      : k_scales(waves, 0);
  }
};
constexpr uint32_t list_bytes = LdsOf<Stored::e4m3>::list_bytes;

} // namespace fmha950::fused
