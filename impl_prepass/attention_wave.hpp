#pragma once
// One wave of kernel two; attention.hip says how the eight waves of a workgroup play together.

#include "attention/key_mask.hpp"
#include "attention/lazy_softmax.hpp"
#include "attention/query_rows.hpp"
#include "attention/row_result.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/schedule.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_prepass/kv_stager.hpp"
#include "impl_prepass/query_operands.hpp"
#include "impl_prepass/tile_operands.hpp"

namespace fmha950::prepass {

template <class Element, bool PageDescales, int KeyDim> class AttentionWave {
 public:
  using Mfma = Mfma32x32x16<Element>;
  using Operand = typename Mfma::Operand;
  // MX and descales by page exclude each other, and both need FP8 keys, which become bf16.
  static constexpr bool more_columns = KeyDim > head_dim; // in Q and K than in V, without MX
  using Queries = QueryOperands<Element, !PageDescales && !more_columns && __is_same(Element, bf16), KeyDim>;
  using Stager = KvStager<PageDescales, KeyDim>;
  using Layout = LdsLayout<PageDescales, KeyDim>;
  using Mask = attention::KeyMask<keys_per_tile>;

  FMHA950_INLINE AttentionWave(const AttentionArguments& arguments, const attention::WorkItem& item,
                               LdsBytes lds)
      : arguments_(arguments), item_(item), lds_(lds_address(lds)), stager_(arguments, item, lds),
        reader_(lds_) {}

  FMHA950_INLINE void run() {
    const int heads_per_kv_head = static_cast<int>(arguments_.heads_per_kv_head);
    auto [first, end] = attention::rows_of_wave(item_, heads_per_kv_head, wave_);
    const auto own =
        attention::tiles_of_rows<keys_per_tile>(arguments_.window, item_, heads_per_kv_head, first, end);
    if (item_.first_tile < item_.end_tile) {
      const attention::QueryRows rows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first,
                                      end);
      Queries::load(arguments_, rows, queries_);
      pin(queries_);
      const Mask mask(attention::visible_keys(arguments_.window, item_, rows.query()), item_.key_length);
      const attention::TileRange whole = mask.whole_tiles();
      fill_pipeline(item_.first_tile);
      if (wave_ >= waves / 2) barrier(); // the second group falls one phase behind
      const int own_begin = own.begin < own.end ? own.begin : item_.end_tile;
      int tile = item_.first_tile;
      for (; tile < own_begin; ++tile) pass(tile);
      for (; tile < own.end; ++tile) attend(tile, own.begin, whole, mask);
      for (; tile < item_.end_tile; ++tile) pass(tile);
      if (wave_ < waves / 2) barrier(); // the first group waits for the second: all meet as often
    }
    pin_scalar(first); // so that the rows are worked out again, not kept in registers through the loop
    if (first < end)
      finish(attention::QueryRows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first, end));
  }

 private:
  static constexpr int column_steps = KeyDim / 16; // of the first product
  // Steps of the second product whose P phase 2 computes; descales of a block's pages are there for all of the block.
  static constexpr int early_steps = PageDescales ? 2 : 1;

  FMHA950_INLINE void fill_pipeline(int tile) {
    stager_.look_up(tile);
    wait_vector_memory<0>("first_slots_arrived");
    stager_.resolve();
    stager_.look_up(tile + 1);
    stager_.stage_k(tile);
    stager_.stage_v(tile);
    wait_vector_memory<Stager::k_transfer + Stager::v_transfer>("second_slots_arrived");
    stager_.resolve();
    stager_.stage_k(tile + 1);
    wait_vector_memory<Stager::v_transfer + Stager::k_transfer>("first_k_arrived");
    barrier("first_barrier");
  }

  // Phase 0 also asks for the slots of tile + 2 and starts V(tile + 1), whose rows are those of the last K.
  // At its end, what this wave staged of V(tile) is in LDS;
  // after the barrier, so is what the other waves staged.
  FMHA950_INLINE void begin_phase_0(int tile) {
    int ahead = tile + 2;
    pin_scalar(ahead); // clang would count what follows of it in every lane
    stager_.look_up(ahead);
    stager_.stage_v(tile + 1);
  }
  FMHA950_INLINE void end_phase_0() {
    wait_vector_memory<Stager::k_transfer + Stager::lookup + Stager::v_transfer>("v_arrived");
    barrier("barrier_0");
  }
  FMHA950_INLINE void end_phase_1() { barrier("barrier_1"); }
  // All but V(tile + 1) is there: K(tile + 1), for the barrier to publish, and the slots of tile + 2. With more columns the
  // other group reads K(tile), whose place K(tile + 2) takes, until that barrier.
  FMHA950_INLINE void end_phase_2(int tile) {
    constexpr bool behind_barrier = more_columns && protection("k_staged_behind_barrier");
    wait_vector_memory<Stager::v_transfer>("k_arrived");
    stager_.resolve();
    if constexpr (!behind_barrier) stager_.stage_k(tile + 2);
    barrier("barrier_2");
    if constexpr (behind_barrier) stager_.stage_k(tile + 2);
  }
  FMHA950_INLINE void end_phase_3() { barrier("barrier_3"); }

  // If this wave sees no key of the tile, it only stages data and meets barriers.
  FMHA950_INLINE void pass(int tile) {
    begin_phase_0(tile);
    end_phase_0();
    end_phase_1();
    end_phase_2(tile);
    end_phase_3();
  }

  FMHA950_INLINE void attend(int tile, int first_tile, attention::TileRange whole, const Mask& mask) {
    begin_phase_0(tile);
    Float4 k_descales[key_blocks][4];
    Float16 scores[key_blocks] = {};
    if constexpr (more_columns)
      multiply_keys_in_parts(tile, scores);
    else
      multiply_keys(tile, scores, k_descales);
    pin(scores);
    end_phase_1();

    priority<1>();
    // V's reads are spread over the softmax: LDS takes 15 at a time (lgkmcnt), and serves four waves at once.
    const uint32_t value_tile = Layout::v_tile(tile & 1);
    ValueHalves values[key_steps];
    if constexpr (PageDescales && more_columns) read_k_descales(tile, k_descales);
    reader_.template read_values<0>(values[0], value_tile);
    if constexpr (PageDescales && more_columns) {
      wait_lds<2 * column_blocks>("k_descales_read");
      pin(k_descales);
      scale_by_key(scores, k_descales);
    }
    reader_.template read_values<1>(values[1], value_tile);
    if constexpr (PageDescales && !more_columns) scale_by_key(scores, k_descales);
    if (tile < whole.begin || tile >= whole.end) [[unlikely]] {
      int masked = tile;
      pin_scalar(masked);
      mask.hide(scores, masked);
    }
    float largest = column_maximum(scores);
    pin(largest);
    reader_.template read_values<2>(values[2], value_tile);
    Float4 v_descales[4];
    if constexpr (PageDescales) read_descales<0>(v_descales, lds_ + Layout::v_descale(wave_, tile & 1));
    reader_.template read_values<3>(values[3], value_tile);
    follow(largest, tile - first_tile);
    if constexpr (PageDescales) {
      constexpr int younger_reads = 2 * column_blocks;
      wait_lds<younger_reads>("v_descales_read");
      pin(v_descales);
    }
    priority<0>();
    scale(scores);
    Operand probabilities[key_steps];
    unrolled<early_steps>([&](auto step) { soften<step>(scores, v_descales, probabilities); });
    if constexpr (PageDescales) { // before V's wait: theirs is not a lucky part of it
      pin(probabilities[0]);
      pin(probabilities[1]);
    }
    wait_lds<0>("v_read");
    pin(values);
    unrolled<early_steps>([&](auto step) { pin(probabilities[step]); });
    end_phase_2(tile);

    multiply_values(values, scores, probabilities, tile);
    end_phase_3();
  }

  // S^T = K Q^T from phase 0 on, whose barrier stands in between.
  FMHA950_INLINE void multiply_keys(int tile, Float16 (&scores)[key_blocks],
                                    Float4 (&k_descales)[key_blocks][4]) {
    Operand keys[key_blocks][column_steps];
    unrolled<key_blocks>(
        [&](auto block) { reader_.template read_keys<block, 0>(keys[block], Layout::k_tile(tile & 1)); });
    if constexpr (PageDescales) read_k_descales(tile, k_descales);
    wait_lds<0>("k_read");
    pin(keys);
    if constexpr (PageDescales) pin(k_descales);
    end_phase_0();
    for (int step = 0; step < column_steps; ++step)
      for (int block = 0; block < key_blocks; ++block)
        scores[block] = Mfma::multiply_add(keys[block][step], queries_[step], scores[block]);
  }

  // The same where registers hold one block's keys and half of another's: the second block is read in phase 1.
  FMHA950_INLINE void multiply_keys_in_parts(int tile, Float16 (&scores)[key_blocks]) {
    constexpr int part = column_steps / 2;
    const uint32_t key_tile = Layout::k_tile(tile & 1);
    Operand first[column_steps], second[part], rest[part];
    reader_.template read_keys<0, 0>(first, key_tile);
    wait_lds<0>("k_read");
    pin(first);
    end_phase_0();
    reader_.template read_keys<1, 0>(second, key_tile);
    multiply_part<0>(first, scores[0]);
    reader_.template read_keys<1, part>(rest, key_tile);
    wait_lds<part>("second_k_read");
    pin(second);
    multiply_part<0>(second, scores[1]);
    wait_lds<0>("rest_of_k_read");
    pin(rest);
    multiply_part<part>(rest, scores[1]);
  }
  template <int First, int Steps>
  FMHA950_INLINE void multiply_part(const Operand (&keys)[Steps], Float16& scores) const {
    schedule_fence(); // clang would move reads across, which the registers do not hold
    for (int step = 0; step < Steps; ++step)
      scores = Mfma::multiply_add(keys[step], queries_[First + step], scores);
    schedule_fence();
  }

  FMHA950_INLINE void read_k_descales(int tile, Float4 (&descales)[key_blocks][4]) const {
    unrolled<key_blocks>([&](auto block) {
      read_descales<block>(descales[block], lds_ + Layout::k_descale(wave_, tile & 1));
    });
  }

  // O^T += V^T P^T, with P of each step from early_steps on computed beside the product of the one before.
  FMHA950_INLINE void multiply_values(const ValueHalves (&values)[key_steps],
                                      const Float16 (&exponents)[key_blocks],
                                      Operand (&probabilities)[key_steps], int tile) {
    Float4 v_descales[4];
    if constexpr (PageDescales) read_descales<1>(v_descales, lds_ + Layout::v_descale(wave_, tile & 1));
    unrolled<key_steps>([&](auto step) {
      constexpr int next = step + 1;
      constexpr bool softens = early_steps <= next && next < key_steps;
      if constexpr (PageDescales && step == 1) {
        wait_lds<0>("second_v_descales_read");
        pin(v_descales);
      }
      if constexpr (softens) soften<next>(exponents, v_descales, probabilities);
      for (int block = 0; block < column_blocks; ++block) {
        const auto& halves = values[step][block];
        const auto operand = bits_as<Operand>(__builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3));
        output_[block] = Mfma::multiply_add(operand, probabilities[step], output_[block]);
      }
      if constexpr (softens) {
        interleave_with_mfma<1, 0, 2>();
        interleave_with_mfma<3, 1, 2>();
      }
      schedule_fence();
    });
    pin(output_);
  }

  static FMHA950_INLINE void scale_by_key(Float16 (&scores)[key_blocks],
                                          const Float4 (&descales)[key_blocks][4]) {
    for (int block = 0; block < key_blocks; ++block)
      for (int r = 0; r < 16; ++r) scores[block][r] *= descales[block][r / 4][r % 4];
  }

  FMHA950_INLINE void follow(float largest, int tiles_before) {
    softmax_.follow_if_grown(largest, arguments_.score_scale, tiles_before);
    if (softmax_.rescaled() && protection("output_rescaled"))
      for (auto& block : output_) block *= softmax_.factor();
  }

  // Before any matrix instruction of this phase: behind one clang takes packed instructions apart.
  FMHA950_INLINE void scale(Float16 (&scores)[key_blocks]) const {
    for (Float16& block : scores)
      for (int r = 0; r < 16; r += 2) {
        const Float2 exponents = softmax_.exponents(Float2{block[r], block[r + 1]}, arguments_.score_scale);
        block[r] = exponents[0];
        block[r + 1] = exponents[1];
      }
    pin(scores);
  }

  // P = 2^exponents of 16 keys, rounded: the operand of a step of the second product. With page descales, which are those of
  // the step's block of 32 keys, P takes V's, after it has entered the denominator.
  template <int Step>
  FMHA950_INLINE void soften(const Float16 (&exponents)[key_blocks], const Float4 (&descales)[4],
                             Operand (&probabilities)[key_steps]) {
    const Float16& of_block = exponents[Step / 2];
    for (int i = 0; i < 8; i += 2) {
      const int r = 8 * (Step % 2) + i;
      Float2 p = softmax_.probabilities(Float2{of_block[r], of_block[r + 1]});
      if constexpr (PageDescales) p *= Float2{descales[r / 4][r % 4], descales[r / 4][r % 4 + 1]};
      const auto rounded = round_pair<Element>(p);
      probabilities[Step][i] = rounded[0];
      probabilities[Step][i + 1] = rounded[1];
    }
  }

  FMHA950_INLINE void finish(const attention::QueryRows& rows) {
    const attention::RowResult result(softmax_);
    rows.store<Element>(arguments_.output, output_, result.output_factor(arguments_.value_scale));
    rows.store_lse(arguments_.lse, result.lse());
  }

  const AttentionArguments& arguments_;
  const attention::WorkItem& item_;
  uint32_t lds_;
  uint32_t wave_ = wave_id();
  Stager stager_;
  TileReader<KeyDim> reader_;
  attention::RelativeSoftmax softmax_;
  Operand queries_[column_steps];
  Float16 output_[column_blocks] = {};
};

} // namespace fmha950::prepass
