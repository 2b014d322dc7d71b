#pragma once
// What is fixed when a kernel is compiled, and what follows from it.

#include "attention/page_of_key.hpp"
#include "attention/tile_layout.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/mfma_chunk.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

using namespace gfx950;

template <class Element> struct OutputOf {
  using Type = Element;
};
template <> struct OutputOf<fp8> {
  using Type = bf16;
};

// Whose descales are applied by the kernel. Those of tensors are in the score's scale and the value's;
// page descales are the same for all keys of a tile, or where pages are smaller each key's own.
enum class Descales { tensor, page_of_tile, page_of_key };

// How kernels find a key's page by their arguments.
FMHA950_INLINE attention::PagesByShift pages_of(const AttentionArguments& arguments) {
  return arguments.page_shift;
}
FMHA950_INLINE attention::PagesOfBlocks pages_of(const BlockPageArguments& arguments) {
  return arguments.pages;
}

template <class ELEMENT, int HEAD_DIM, bool VECTORIZED, Descales DESCALES, class OPERAND = ELEMENT,
          class ARGUMENTS = AttentionArguments, int VALUE_DIM = HEAD_DIM>
struct Variant {
  using Element = ELEMENT; // of K and V, in pools and LDS
  using Operand = OPERAND; // of Q and P, and what K and V are widened to before they are multiplied
  using Output = typename OutputOf<Operand>::Type;
  using Arguments = ARGUMENTS;
  using Pages = decltype(pages_of(ARGUMENTS{}));
  static constexpr int head_dim = HEAD_DIM;   // of Q and K
  static constexpr int value_dim = VALUE_DIM; // of V and the output
  static constexpr bool vectorized = VECTORIZED;
  static constexpr Descales descales = DESCALES;
  static constexpr bool page_descales = DESCALES != Descales::tensor;

  // Two tiles a turn of the loop: where they lie in LDS is part of the instructions, and takes no VALU. In 16 bits the matrix unit
  // has more to do; small pages and 256 columns leave no registers.
  static constexpr bool two_tiles_a_turn =
      __is_same(OPERAND, fp8) && DESCALES != Descales::page_of_key && HEAD_DIM < 256;

  // Whether a tile's page is a scalar: page descales of tiles say that it has one.
  static constexpr bool one_page_a_tile =
      two_tiles_a_turn && page_descales && !VECTORIZED && HEAD_DIM == VALUE_DIM;

  static constexpr int row_bytes = HEAD_DIM * element_bytes<Element>;
  static constexpr int value_row_bytes = VALUE_DIM * element_bytes<Element>;
  static constexpr int chunk_keys = chunk_elements<Element>; // of one column of V
  using Tile = attention::TileLayout<row_bytes>;             // of K
  using ValueTile = attention::TileLayout<value_row_bytes>;
  static constexpr int strips_per_wave = Tile::strips / waves;
  static constexpr int value_strips_per_wave = ValueTile::strips / waves;

  static constexpr int key_blocks = keys_per_tile / 32;            // of 32 rows of S^T
  static constexpr int key_steps = keys_per_tile / 2 / chunk_keys; // chunks of a column of V in a lane
  static constexpr int column_blocks = VALUE_DIM / 32;             // of 32 rows of O^T
  static constexpr int column_steps = row_bytes / 32;              // chunks of K in a lane

  // Chunks of Q and of P that meet one of K and of V.
  static constexpr int widening = operand_chunks<Element, Operand>;
  static constexpr int operands_per_block =
      16 / chunk_elements<Operand>; // chunks of P for 32 keys, in a lane

  // Of the softmax (lazy_softmax.hpp): P is raised where it is rounded to fp8. With page descales it is not P that is rounded
  // but weights (value_weights.hpp).
  static constexpr int fp8_shift = protection("peak") ? attention::fp8_shift : 9;
  static constexpr int shift = __is_same(Operand, fp8) && !page_descales ? fp8_shift : 0;
  static constexpr float threshold = __is_same(Operand, fp8) ? 0.8f : 4.0f; // of what is rounded
  // log2 of what the largest weight of a row becomes before it is rounded: e4m3fn goes from 2^-9 to 448, fp16 from 2^-24.
  static constexpr int peak = page_descales ? fp8_shift : 0;
};

// A place in LDS: `begin`, and OFFSET bytes more as part of the instructions that read there.
template <uint32_t OFFSET> struct LdsPlace {
  static constexpr uint32_t offset = OFFSET;
  uint32_t begin;
};

// LDS of one workgroup: two K tiles, two V tiles, every wave's list of the pages of a tile's keys, and for
// page descales every wave's copies of the descales of a tile's keys, of K and of V for two tiles. What is a
// wave's own is read without waiting for another wave.
template <class Variant> struct LdsLayout {
  static constexpr uint32_t tile_bytes = Variant::Tile::bytes, value_tile_bytes = Variant::ValueTile::bytes;
  static constexpr uint32_t list_bytes = keys_per_tile * 4; // one number per key
  static constexpr uint32_t k_tile(uint32_t parity) { return parity * tile_bytes; }
  static constexpr uint32_t v_tile(uint32_t parity) { return 2 * tile_bytes + parity * value_tile_bytes; }
  // The same for one who reads them: of a parity that is known when the kernel is compiled, or not.
  template <int PARITY> static constexpr LdsPlace<k_tile(PARITY)> k_place(uint32_t lds, Constant<PARITY>) {
    return {lds};
  }
  static constexpr LdsPlace<0> k_place(uint32_t lds, int parity) { return {lds + k_tile(parity)}; }
  template <int PARITY> static constexpr LdsPlace<v_tile(PARITY)> v_place(uint32_t lds, Constant<PARITY>) {
    return {lds};
  }
  static constexpr LdsPlace<0> v_place(uint32_t lds, int parity) { return {lds + v_tile(parity)}; }
  static constexpr uint32_t page_list(uint32_t wave) { return v_tile(2) + wave * list_bytes; }
  static constexpr uint32_t k_descale(uint32_t wave, uint32_t parity) {
    const uint32_t number = protection("descale_ring") ? parity : parity & ~1u;
    return page_list(waves) + (wave * 4 + number) * list_bytes;
  }
  static constexpr uint32_t v_descale(uint32_t wave, uint32_t parity) { return k_descale(wave, 2 + parity); }
  static constexpr uint32_t bytes = Variant::page_descales ? k_descale(waves, 0) : page_list(waves);
};

} // namespace fmha950::baseline
