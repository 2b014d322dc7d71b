#pragma once
// What is fixed when a kernel is compiled, and what follows from it: the format of rows, where a tile and
// what waves exchange lie in LDS.

#include "gfx950/lds.hpp"
#include "gfx950/mutant.hpp"
#include "impl_fused/sparse/kernel_arguments.hpp"
#include "impl_fused/sparse/part.hpp"

namespace fmha950::fused::sparse {

using namespace gfx950;

constexpr uint32_t parts = keys_per_tile / Part::rows;

// Where scales of Q and K are applied: by the matrix instruction, or to its fp32 sums.
enum class ScalePath : uint8_t { hardware, software };
// V and P of NOPE columns in the second product.
enum class ValuePath : uint8_t { bf16, fp8 };

struct Split {
  static constexpr uint32_t nope_row_bytes = 448, nope_strips = 7;
  static constexpr uint32_t scale_block_columns = 64, scale_blocks = 7;
  // In a part, behind its rows; the eighth scale block holds nothing.
  static constexpr uint32_t scale_bytes = 2 * PartScales::load_bytes;
};

struct Packed {
  static constexpr uint32_t nope_row_bytes = 512, nope_strips = 8; // the last brings the scales
  static constexpr uint32_t scale_block_columns = 32, scale_blocks = 14;
  static constexpr uint32_t scale_bytes = 0;
};

// LDS of one workgroup: three tiles; twice the tile's P, the factors for what was accumulated, and the scales
// of the packed format in fp32; for each wave, twice, the ids of the rows that its lanes bring.
template <class Format, int HEAD_BLOCKS> struct Lds {
  static constexpr uint32_t rope = Format::nope_strips * Part::strip_bytes; // in a part
  static constexpr uint32_t scales = rope + 2 * Part::strip_bytes;
  static constexpr uint32_t part_bytes = scales + Format::scale_bytes + Part::shift;
  static constexpr uint32_t tile_bytes = parts * part_bytes;
  static constexpr uint32_t tiles = 3;

  static constexpr uint32_t p_block_bytes = wave_lanes * 16; // of 16 heads
  static constexpr uint32_t p_bytes = HEAD_BLOCKS * p_block_bytes;
  static constexpr uint32_t p = tiles * tile_bytes;
  static constexpr uint32_t factor_bytes = HEAD_BLOCKS * heads_per_block * 4;
  static constexpr uint32_t factors = p + 2 * p_bytes;
  static constexpr uint32_t list_bytes = wave_lanes * 4;
  static constexpr uint32_t lists = factors + 2 * factor_bytes;
  static constexpr uint32_t expanded_part_bytes = Format::scale_bytes > 0 ? 0 : 4 * PartScales::load_bytes;
  static constexpr uint32_t expanded_bytes = parts * expanded_part_bytes;
  static constexpr uint32_t expanded = lists + 2 * waves * list_bytes;
  static constexpr uint32_t bytes = expanded + 2 * expanded_bytes;
};

} // namespace fmha950::fused::sparse
