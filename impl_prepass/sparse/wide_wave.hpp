#pragma once
// One of the four or eight waves for more than 32 heads: 16 heads of its own, all 512 columns, 32 keys a
// tile. attention_wide.hip says how they play together.

#include "attention/sparse/head_softmax.hpp"
#include "impl_prepass/sparse/head_rows.hpp"
#include "impl_prepass/sparse/row_stager.hpp"

namespace fmha950::prepass::sparse {

using namespace attention::sparse;

template <int WAVES> class WideWave {
 public:
  static constexpr int waves = WAVES;
  static constexpr int heads = waves * heads_per_block; // of a workgroup
  using Tile = RowTile<32>;
  using Stager = RowStager<Tile, waves>;

  FMHA950_INLINE WideWave(const AttentionArguments& arguments, uint32_t token, uint32_t first_head,
                          LdsBytes lds)
      : arguments_(arguments), rows_(arguments, token, first_head + wave_id() * heads_per_block),
        lds_(lds_address(lds)), stager_(arguments, token, lds) {
    const uint32_t row = lane_id() % 16, quarter = lane_id() / 16;
    keys_ = lds_ + Tile::place(row, quarter);
    values_ = lds_ + Tile::place(4 * quarter + row / 4, row % 4 / 2) + row % 2 * 8;
  }

  FMHA950_INLINE void run() {
    const int tiles = stager_.tiles();
    if (tiles > 0) {
      if (rows_.valid()) rows_.load(arguments_.q, queries_);
      stager_.fill_pipeline();
      if (rows_.valid())
        for (int tile = 0; tile < tiles; ++tile) attend(tile);
      else
        for (int tile = 0; tile < tiles; ++tile) pass(tile);
    }
    if (rows_.valid()) finish();
  }

 private:
  using Mfma = Mfma16x16x32<bf16>;
  using Operand = Mfma::Operand;
  static constexpr int key_blocks = 2;                     // of 16 rows of S^T
  static constexpr int column_steps = head_dim / 32;       // of the first product
  static constexpr int column_blocks = head_dim / 16;      // of 16 rows of O^T
  static constexpr int block_bytes = 16 * Tile::row_bytes; // from one block of keys to the next

  // A wave without heads: only its share of staging and barriers.
  FMHA950_INLINE void pass(int tile) {
    stager_.begin_tile(tile);
    stager_.look_ahead(tile);
  }

  FMHA950_INLINE void attend(int tile) {
    stager_.begin_tile(tile);
    Float4 scores[key_blocks] = {};
    multiply_keys(Stager::buffer(tile), scores);
    stager_.look_ahead(tile);
    const uint32_t value_buffer = Stager::buffer(protection("values_of_tile") ? tile : tile + 1);
    Values values[2];
    read_values<0>(value_buffer, values[0]);
    const int keys_left = stager_.keys() - tile * static_cast<int>(Tile::rows);
    if (keys_left < static_cast<int>(Tile::rows) && protection("tail_mask")) hide_tail(scores, keys_left);
    softmax_.follow(tile_maximum(scores), arguments_.score_scale, tile);
    if (softmax_.rescaled() && protection("output_rescaled"))
      for (Float4& block : output_) block *= softmax_.factor();
    const Operand probabilities = soften(softmax_, scores[0], scores[1], arguments_.score_scale);
    // Where a SIMD has waves of two workgroups, one that is past its softmax should not wait for the other's;
    // waves of one workgroup wait for each other anyway.
    constexpr bool apart = waves == 4;
    if constexpr (apart) priority<1>();
    multiply_values(value_buffer, values, probabilities);
    if constexpr (apart) priority<0>();
  }

  // S^T += K Q^T. Keys are read one part ahead of their products: two steps, both blocks.
  FMHA950_INLINE void multiply_keys(uint32_t buffer, Float4 (&scores)[key_blocks]) {
    constexpr int parts = column_steps / 2;
    Operand keys[2][2][key_blocks];
    const auto read = [&](auto part) {
      // Steps 4 i + j share the address of j: i only adds.
      constexpr int address_of = part / 2, first = part % 2 * 2;
      const uint32_t address = (keys_ + buffer) ^ Tile::flip(4 * address_of);
      unrolled<2>([&](auto i) {
        unrolled<key_blocks>([&](auto block) {
          read_lds<(first + i) * 256 + block * block_bytes>(keys[part % 2][i][block], address);
        });
      });
    };
    read(Constant<0>{});
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      if constexpr (more) read(Constant<part + 1>{});
      wait_lds<more ? 2 * key_blocks : 0>("key_rows_read");
      pin(keys[part % 2]);
      unrolled<2>([&](auto i) {
        constexpr int step = (part % 2 * 2 + i) * 4 + part / 2;
        for (int block = 0; block < key_blocks; ++block)
          scores[block] = Mfma::multiply_add(keys[part % 2][i][block], queries_[step], scores[block]);
      });
    });
    pin(scores);
  }

  // O^T += V^T P^T, columns in parts of four blocks, read one part ahead: the first before the softmax.
  static constexpr int value_parts = column_blocks / 4;
  using Values = Word2[4][2];
  template <int Part> FMHA950_INLINE void read_values(uint32_t buffer, Values& values) {
    // Blocks 8 i + j share the address of j: i only adds.
    const uint32_t address = (values_ + buffer) ^ Tile::flip(2 * Part);
    unrolled<4>([&](auto i) {
      unrolled<2>(
          [&](auto half) { read_lds_transposed<i * 256 + half * block_bytes>(values[i][half], address); });
    });
  }
  FMHA950_INLINE void multiply_values(uint32_t buffer, Values (&values)[2], const Operand& probabilities) {
    unrolled<value_parts>([&](auto part) {
      constexpr bool more = part + 1 < value_parts;
      if constexpr (more) read_values<part + 1>(buffer, values[(part + 1) % 2]);
      wait_lds<more ? 8 : 0>("value_rows_read");
      pin(values[part % 2]);
      unrolled<4>([&](auto i) {
        const auto& halves = values[part % 2][i];
        Float4& sum = output_[8 * i + part];
        sum = Mfma::multiply_add(bits_as<Operand>(__builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3)),
                                 probabilities, sum);
      });
    });
    pin(output_);
  }

  FMHA950_INLINE void finish() {
    const float sum = across_quarters(softmax_.own_sum(), [](float a, float b) { return a + b; });
    const auto result = finish_head(softmax_.reference(), sum, rows_.sink(arguments_));
    rows_.store(arguments_.output, output_, 0, result.output_factor);
    rows_.store_lse(arguments_.lse, result.lse);
  }

  const AttentionArguments& arguments_;
  HeadRows rows_;
  uint32_t lds_;
  Stager stager_;
  uint32_t keys_, values_; // where the lane's first chunks are in buffer 0
  HeadSoftmax softmax_;
  Operand queries_[column_steps];
  Float4 output_[column_blocks] = {};
};

} // namespace fmha950::prepass::sparse
