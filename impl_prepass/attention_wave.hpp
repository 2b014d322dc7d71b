#pragma once
// One wave of kernel two; attention.hip says how the eight waves of a workgroup play together.

#include "gfx950/mfma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_prepass/kv_stager.hpp"
#include "impl_prepass/query_rows.hpp"

namespace fmha950::prepass {

template <class Element, bool BlockScale> class AttentionWave {
 public:
  using Mfma = Mfma32x32x16<Element>;
  using Operand = typename Mfma::Operand;
  using Stager = KvStager<BlockScale>;
  using Layout = LdsLayout<BlockScale>;
  static constexpr int in_flight = 3 * Stager::step; // one look-up, one K tile and one V tile

  FMHA950_INLINE AttentionWave(const AttentionArguments& arguments, const WorkItem& item, LdsBytes lds)
      : arguments_(arguments), item_(item), lds_(lds_address(lds)), stager_(arguments, item, lds) {}

  FMHA950_INLINE void run() {
    const int rows = item_.query_length * static_cast<int>(arguments_.group);
    const int rows_end = minimum(item_.first_row + rows_per_tile, rows);
    const int first = minimum(item_.first_row + static_cast<int>(wave_) * rows_per_wave, rows_end);
    const int end = minimum(first + rows_per_wave, rows_end);
    const TileRange all = tiles_of_rows(arguments_, item_, item_.first_row, rows_end);
    const TileRange own = tiles_of_rows(arguments_, item_, first, end);
    const QueryRows<Element> queries(arguments_, item_, first, end);
    if (all.begin < all.end) {
      queries.load(arguments_, queries_);
      pin(queries_);
      find_keys(queries.position());
      fill_pipeline(all.begin);
      if (wave_ >= waves / 2) barrier(); // the second group falls one phase behind
      const int own_begin = own.begin < own.end ? own.begin : all.end;
      int tile = all.begin;
      for (; tile < own_begin; ++tile) pass(tile);
      for (; tile < own.end; ++tile) attend(tile);
      for (; tile < all.end; ++tile) pass(tile);
    }
    if (first < end) finish(queries);
  }

 private:
  static constexpr int key_blocks = keys_per_tile / 32;  // of 32 rows of S^T
  static constexpr int key_steps = keys_per_tile / 16;   // of the second product
  static constexpr int column_blocks = head_dim / 32;    // of 32 rows of O^T
  static constexpr int column_steps = head_dim / 16;     // of the first product

  // Key within the tile of item r of a block of scores.
  static constexpr int key_of(int block, int r) { return 32 * block + r / 4 * 8 + r % 4; } // + 4 (l / 32)

  // Which keys the lane's query sees. A tile whose keys all lanes see needs no mask.
  FMHA950_INLINE void find_keys(int position) {
    const KeyRange keys = visible_keys(arguments_, item_, position);
    const bool some = keys.first <= keys.last;
    first_key_ = some ? keys.first : INT32_MAX;
    key_span_ = some ? keys.last - keys.first : 0;
  }

  FMHA950_INLINE void fill_pipeline(int tile) {
    stager_.look_up(tile);
    stager_.template resolve<0>();
    stager_.look_up(tile + 1);
    stager_.stage_k(tile);
    stager_.stage_v(tile);
    stage_next_k(tile - 1);
    if constexpr (protection("first_k_arrived")) wait_vector_memory<in_flight>();
    if constexpr (protection("first_barrier")) barrier();
  }

  // The slots of tile + 2 become offsets, those of tile + 3 are asked for.
  FMHA950_INLINE void stage_next_k(int tile) {
    stager_.template resolve<2 * Stager::step>();
    stager_.look_up(tile + 3);
    stager_.stage_k(tile + 2);
  }

  // What this wave staged of V(tile) is in LDS; after the barrier, so is what the other waves of its group staged.
  FMHA950_INLINE void end_phase_0() {
    if constexpr (protection("v_arrived")) wait_vector_memory<in_flight>();
    if constexpr (protection("barrier_0")) barrier();
  }
  FMHA950_INLINE void end_phase_1() {
    if constexpr (protection("barrier_1")) barrier();
  }
  // The same for K(tile + 1).
  FMHA950_INLINE void end_phase_2() {
    if constexpr (protection("k_arrived")) wait_vector_memory<in_flight>();
    if constexpr (protection("barrier_2")) barrier();
  }
  FMHA950_INLINE void end_phase_3() {
    if constexpr (protection("barrier_3")) barrier();
  }

  // A tile of which this wave sees no key: only its share of staging and barriers.
  FMHA950_INLINE void pass(int tile) {
    stager_.stage_v(tile + 1);
    end_phase_0();
    end_phase_1();
    stage_next_k(tile);
    end_phase_2();
    end_phase_3();
  }

  FMHA950_INLINE void attend(int tile) {
    stager_.stage_v(tile + 1);
    Operand keys[key_blocks][column_steps];
    Float4 k_descales[key_blocks][4];
    read_keys(keys, tile);
    if constexpr (BlockScale) read_descales(k_descales, Layout::k_descale(wave_, tile & 1));
    if constexpr (protection("k_read")) wait_lds<0>();
    pin(keys);
    if constexpr (BlockScale) pin(k_descales);
    end_phase_0();

    Float16 scores[key_blocks] = {};
    priority<1>();
    for (int step = 0; step < column_steps; ++step)
      for (int block = 0; block < key_blocks; ++block)
        scores[block] = Mfma::multiply_add(keys[block][step], queries_[step], scores[block]);
    pin(scores);
    priority<0>();
    end_phase_1();

    stage_next_k(tile);
    if constexpr (BlockScale) scale_by_key(scores, k_descales);
    Word2 values[key_steps][column_blocks][2];
    read_values(values, tile);
    if (needs_mask(tile)) hide_keys(scores, tile);
    Operand probabilities[key_steps];
    soften(scores, probabilities, tile);
    if constexpr (protection("v_read")) wait_lds<0>();
    pin(values);
    pin(probabilities);
    end_phase_2();

    priority<1>();
    for (int step = 0; step < key_steps; ++step)
      for (int block = 0; block < column_blocks; ++block) {
        const auto& halves = values[step][block];
        const auto operand = bits_as<Operand>(__builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3));
        output_[block] = Mfma::multiply_add(operand, probabilities[step], output_[block]);
      }
    pin(output_);
    priority<0>();
    end_phase_3();
  }

  // A operand of S^T: lane l holds row l % 32 of each block, item t of a step is column 16 step + 8 (l / 32) + t.
  FMHA950_INLINE void read_keys(Operand (&keys)[key_blocks][column_steps], int tile) {
    const uint32_t base = lds_ + Layout::k_tile(tile & 1);
    const uint32_t even = base + TileLayout::offset(lane_id() % 32, lane_id() / 32);
    const uint32_t odd = base + TileLayout::offset(lane_id() % 32, lane_id() / 32 + 2);
    unrolled<key_blocks>([&](auto block) {
      unrolled<column_steps>([&](auto step) {
        read_lds<TileLayout::offset(32 * block, step / 2 * 4)>(keys[block][step], step % 2 == 0 ? even : odd);
      });
    });
  }

  // A operand of O^T, read transposed: lane l holds column l % 32 of each block, and of a step's 16 keys those that
  // D of S^T left to this half of the wave: item t is key 8 (t / 4) + 4 (l / 32) + t % 4.
  FMHA950_INLINE void read_values(Word2 (&values)[key_steps][column_blocks][2], int tile) {
    const uint32_t lane = lane_id();
    const uint32_t row = lane / 32 * 4 + lane % 16 / 4;
    const uint32_t column = lane / 16 % 2 * 16 + lane % 4 * 4;
    uint32_t address[2];
    for (uint32_t half = 0; half < 2; ++half)
      address[half] = lds_ + Layout::v_tile(tile & 1) + TileLayout::offset(row + 8 * half, column / 8) + column % 8 * 2;
    unrolled<key_steps>([&](auto step) {
      unrolled<column_blocks>([&](auto block) {
        unrolled<2>([&](auto half) {
          read_lds_transposed<TileLayout::offset(16 * step, 4 * block)>(values[step][block][half], address[half]);
        });
      });
    });
  }

  // Descales of the keys of this lane's scores, four by four.
  FMHA950_INLINE void read_descales(Float4 (&descales)[key_blocks][4], uint32_t begin) {
    const uint32_t address = lds_ + begin + lane_id() / 32 * 16;
    unrolled<key_blocks>([&](auto block) {
      unrolled<4>([&](auto quad) { read_lds<key_of(block, 4 * quad) * 4>(descales[block][quad], address); });
    });
  }

  static FMHA950_INLINE void scale_by_key(Float16 (&scores)[key_blocks], const Float4 (&descales)[key_blocks][4]) {
    for (int block = 0; block < key_blocks; ++block)
      for (int r = 0; r < 16; ++r) scores[block][r] *= descales[block][r / 4][r % 4];
  }

  FMHA950_INLINE bool needs_mask(int tile) const {
    const uint32_t first = tile * keys_per_tile - first_key_; // wraps where the tile begins before the first key
    const bool inside = first <= static_cast<uint32_t>(key_span_) &&
                        first + (keys_per_tile - 1) <= static_cast<uint32_t>(key_span_);
    return __builtin_amdgcn_ballot_w64(!inside) != 0;
  }

  FMHA950_INLINE void hide_keys(Float16 (&scores)[key_blocks], int tile) const {
    const uint32_t begin = tile * keys_per_tile + lane_id() / 32 * 4 - first_key_;
    for (int block = 0; block < key_blocks; ++block)
      for (int r = 0; r < 16; ++r)
        if (begin + key_of(block, r) > static_cast<uint32_t>(key_span_)) scores[block][r] = negative_infinity;
  }

  // P = 2^(scores - reference), rounded. With block scales P takes V's descales, after it has entered the denominator.
  FMHA950_INLINE void soften(const Float16 (&scores)[key_blocks], Operand (&probabilities)[key_steps], int tile) {
    const float scale = arguments_.score_scale;
    float factor;
    if (softmax_.follow(column_maximum(scores) * scale, factor))
      for (auto& block : output_) block *= factor;
    Float4 v_descales[key_blocks][4];
    if constexpr (BlockScale) {
      read_descales(v_descales, Layout::v_descale(wave_, tile & 1));
      if constexpr (protection("v_descales_read")) wait_lds<0>();
      pin(v_descales);
    }
    for (int step = 0; step < key_steps; ++step)
      for (int pair = 0; pair < 4; ++pair) {
        const int block = step / 2, r = step % 2 * 8 + pair * 2;
        Float2 p = softmax_.probabilities({scores[block][r], scores[block][r + 1]}, scale);
        if constexpr (BlockScale) p *= Float2{v_descales[block][r / 4][r % 4], v_descales[block][r / 4][r % 4 + 1]};
        const auto rounded = round_pair<Element>(p);
        probabilities[step][2 * pair] = rounded[0];
        probabilities[step][2 * pair + 1] = rounded[1];
      }
  }

  // A query that saw no key has an output of 0 and an LSE of -inf.
  FMHA950_INLINE void finish(const QueryRows<Element>& queries) {
    const float sum = softmax_.denominator();
    const float factor = sum > 0 ? arguments_.value_scale * __builtin_amdgcn_rcpf(sum) : 0;
    queries.store(arguments_, output_, factor);
    constexpr float ln2 = 0.693147180559945309f;
    queries.store_lse(arguments_, sum > 0 ? (softmax_.reference + log2_fast(sum)) * ln2 : negative_infinity);
  }

  const AttentionArguments& arguments_;
  const WorkItem& item_;
  uint32_t lds_;
  uint32_t wave_ = wave_id();
  Stager stager_;
  OnlineSoftmax softmax_;
  Operand queries_[column_steps];
  Float16 output_[column_blocks] = {};
  int first_key_ = 0;
  int key_span_ = 0; // last key - first key
};

} // namespace fmha950::prepass
