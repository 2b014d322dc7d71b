#pragma once
// One of the four waves for 16 or 32 heads, 64 keys a tile: S^T of 16 keys of its own for all heads, and of
// O^T 128 columns of its own for all keys. attention_narrow.hip says how they play together.

#include "attention/sparse/head_softmax.hpp"
#include "impl_prepass/sparse/head_rows.hpp"
#include "impl_prepass/sparse/row_stager.hpp"

namespace fmha950::prepass::sparse {

using namespace attention::sparse;

// HeadBlocks: of 16 heads.
template <int HeadBlocks> class NarrowWave {
 public:
  static constexpr int waves = 4;
  using Tile = RowTile<64>;
  using Stager = RowStager<Tile, waves>;
  static constexpr uint32_t lds_bytes =
      Stager::bytes + HeadBlocks * (heads_per_block * waves * 4 + Tile::rows * heads_per_block * 2);

  FMHA950_INLINE NarrowWave(const AttentionArguments& arguments, uint32_t token, LdsBytes lds)
      : arguments_(arguments), token_(token), lds_(lds_address(lds)), stager_(arguments, token, lds) {
    const uint32_t row = lane_id() % 16, quarter = lane_id() / 16;
    keys_ = lds_ + Tile::place(16 * wave_ + row, quarter);
    values_ = lds_ + Tile::place(4 * quarter + row / 4, row % 4 / 2) + row % 2 * 8 + wave_ * wave_columns * 2;
    maxima_ = lds_ + Stager::bytes + row * (waves * 4);
    // P of two waves, side by side.
    probabilities_ = lds_ + Stager::bytes + HeadBlocks * maxima_bytes + lane_id() * 16;
  }

  FMHA950_INLINE void run() {
    const int tiles = stager_.tiles();
    float sums[HeadBlocks] = {};
    if (tiles > 0) {
      for (int block = 0; block < HeadBlocks; ++block) heads(block).load(arguments_.q, queries_[block]);
      stager_.fill_pipeline();
      for (int tile = 0; tile < tiles; ++tile) attend(tile);
      gather_sums(sums);
    }
    for (int block = 0; block < HeadBlocks; ++block) {
      const HeadRows rows = heads(block);
      const auto result = finish_head(softmax_[block].reference(), sums[block], rows.sink(arguments_));
      rows.store(arguments_.output, output_[block], wave_ * wave_columns, result.output_factor);
      if (wave_ == 0) rows.store_lse(arguments_.lse, result.lse);
    }
  }

 private:
  using Mfma = Mfma16x16x32<bf16>;
  using Operand = Mfma::Operand;
  static constexpr int column_steps = head_dim / 32;               // of the first product
  static constexpr int wave_columns = head_dim / waves;            // of the second
  static constexpr int column_blocks = wave_columns / 16;          // of 16 rows of O^T
  static constexpr int key_steps = Tile::rows / 32;                // of the second product
  static constexpr int block_bytes = 16 * Tile::row_bytes;         // from one block of keys to the next
  static constexpr int maxima_bytes = heads_per_block * waves * 4; // of a block of heads
  static constexpr int probability_bytes = 2 * wave_lanes * 8;     // of two waves, for a block of heads

  FMHA950_INLINE HeadRows heads(int block) const {
    return HeadRows(arguments_, token_, block * heads_per_block);
  }

  FMHA950_INLINE void attend(int tile) {
    stager_.begin_tile(tile);
    Float4 scores[HeadBlocks][1] = {};
    multiply_keys(Stager::buffer(tile), scores);
    stager_.look_ahead(tile);
    const int keys_left = stager_.keys() - tile * static_cast<int>(Tile::rows);
    if (keys_left < static_cast<int>(Tile::rows) && protection("tail_mask"))
      for (auto& block : scores) hide_tail(block, keys_left - 16 * static_cast<int>(wave_));
    follow_maxima(scores, tile);
    Operand probabilities[key_steps][HeadBlocks];
    exchange_probabilities(scores, probabilities);
    multiply_values(Stager::buffer(protection("values_of_tile") ? tile : tile + 1), probabilities);
  }

  // S^T += K Q^T of the wave's keys, which are read one part ahead of their products: four steps.
  FMHA950_INLINE void multiply_keys(uint32_t buffer, Float4 (&scores)[HeadBlocks][1]) {
    constexpr int parts = column_steps / 4;
    Operand keys[2][4];
    const auto read = [&](auto part) {
      // Steps 4 i + j share the address of j: i only adds.
      const uint32_t address = (keys_ + buffer) ^ Tile::flip(4 * part);
      unrolled<4>([&](auto i) { read_lds<i * 256>(keys[part % 2][i], address); });
    };
    read(Constant<0>{});
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      if constexpr (more) read(Constant<part + 1>{});
      wait_lds<more ? 4 : 0>("key_rows_read");
      pin(keys[part % 2]);
      unrolled<4>([&](auto i) {
        for (int block = 0; block < HeadBlocks; ++block)
          scores[block][0] =
              Mfma::multiply_add(keys[part % 2][i], queries_[block][4 * i + part], scores[block][0]);
      });
    });
    for (auto& block : scores) pin(block);
  }

  // The largest of all four waves' scores, which all of them follow alike.
  FMHA950_INLINE void follow_maxima(const Float4 (&scores)[HeadBlocks][1], int tile) {
    float largest[HeadBlocks];
    for (int block = 0; block < HeadBlocks; ++block) largest[block] = tile_maximum(scores[block]);
    publish(largest);
    barrier("maxima_barrier");
    Float4 of_waves[HeadBlocks];
    gather(of_waves);
    for (int block = 0; block < HeadBlocks; ++block) {
      const Float4& m = of_waves[block];
      softmax_[block].follow(largest_of(largest_of(m[0], m[1]), largest_of(m[2], m[3])),
                             arguments_.score_scale, tile);
      if (softmax_[block].rescaled() && protection("output_rescaled"))
        for (Float4& columns : output_[block]) columns *= softmax_[block].factor();
    }
  }

  // A number per head of each wave, head by head.
  FMHA950_INLINE void publish(const float (&values)[HeadBlocks]) {
    unrolled<HeadBlocks>([&](auto block) { // the four lanes of a head write the same
      write_lds_word<block * maxima_bytes>(maxima_ + wave_ * 4, bits_as<uint32_t>(values[block]));
    });
    wait_lds<0>("maxima_written");
  }
  FMHA950_INLINE void gather(Float4 (&of_waves)[HeadBlocks]) {
    unrolled<HeadBlocks>([&](auto block) { read_lds<block * maxima_bytes>(of_waves[block], maxima_); });
    wait_lds<0>("maxima_read");
    pin(of_waves);
  }

  // Each wave rounds P of its keys; all of them start to read P of all keys: two waves' are a B operand.
  FMHA950_INLINE void exchange_probabilities(const Float4 (&scores)[HeadBlocks][1],
                                             Operand (&probabilities)[key_steps][HeadBlocks]) {
    const uint32_t own = probabilities_ + wave_ / 2 * (HeadBlocks * probability_bytes) + wave_ % 2 * 8;
    unrolled<HeadBlocks>([&](auto block) {
      const auto rounded = soften_block(softmax_[block], scores[block][0], arguments_.score_scale);
      write_lds<block * probability_bytes>(own, bits_as<Word2>(rounded));
    });
    wait_lds<0>("p_written");
    barrier("p_barrier");
    unrolled<key_steps>([&](auto step) {
      unrolled<HeadBlocks>([&](auto block) {
        read_lds<(step * HeadBlocks + block) * probability_bytes>(probabilities[step][block], probabilities_);
      });
    });
  }

  // O^T += V^T P^T of the wave's columns, in parts of four blocks of one step, read one part ahead.
  FMHA950_INLINE void multiply_values(uint32_t buffer, Operand (&probabilities)[key_steps][HeadBlocks]) {
    constexpr int parts = key_steps * (column_blocks / 4);
    Word2 values[2][4][2];
    const auto read = [&](auto part) {
      constexpr int step = part % key_steps, first = part / key_steps * 4;
      unrolled<4>([&](auto i) {
        const uint32_t address = (values_ + buffer) ^ Tile::flip(2 * (first + i));
        unrolled<2>([&](auto half) {
          read_lds_transposed<(2 * step + half) * block_bytes>(values[part % 2][i][half], address);
        });
      });
    };
    read(Constant<0>{});
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      if constexpr (more) read(Constant<part + 1>{});
      wait_lds<more ? 8 : 0>("value_rows_read");
      pin(values[part % 2]);
      if constexpr (part == 0) // read before any of the values
        for (auto& step : probabilities) pin(step);
      unrolled<4>([&](auto i) {
        const auto& halves = values[part % 2][i];
        const auto operand = bits_as<Operand>(__builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3));
        for (int block = 0; block < HeadBlocks; ++block) {
          Float4& sum = output_[block][part / key_steps * 4 + i];
          sum = Mfma::multiply_add(operand, probabilities[part % key_steps][block], sum);
        }
      });
    });
    for (auto& block : output_) pin(block);
  }

  // Sums over all keys of a head; each wave has a quarter of every tile. All waves have read the maxima,
  // because each has since met the others at the barrier of P.
  FMHA950_INLINE void gather_sums(float (&sums)[HeadBlocks]) {
    float own[HeadBlocks];
    for (int block = 0; block < HeadBlocks; ++block)
      own[block] = across_quarters(softmax_[block].own_sum(), [](float a, float b) { return a + b; });
    publish(own);
    barrier("sums_barrier");
    Float4 of_waves[HeadBlocks];
    gather(of_waves);
    for (int block = 0; block < HeadBlocks; ++block) {
      const Float4& s = of_waves[block];
      sums[block] = (s[0] + s[1]) + (s[2] + s[3]);
    }
  }

  const AttentionArguments& arguments_;
  uint32_t token_;
  uint32_t lds_;
  uint32_t wave_ = wave_id();
  Stager stager_;
  uint32_t keys_, values_; // where the lane's first chunks are in buffer 0
  uint32_t maxima_, probabilities_;
  HeadSoftmax softmax_[HeadBlocks];
  Operand queries_[HeadBlocks][column_steps];
  Float4 output_[HeadBlocks][column_blocks] = {};
};

} // namespace fmha950::prepass::sparse
