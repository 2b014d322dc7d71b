#pragma once
// One wave of the kernel; attention.hip says how the four waves of a workgroup play together.

#include "attention/key_mask.hpp"
#include "attention/lazy_softmax.hpp"
#include "attention/row_result.hpp"
#include "impl_fused/key_product.hpp"
#include "impl_fused/kv_stager.hpp"
#include "impl_fused/page_descales.hpp"
#include "impl_fused/value_product.hpp"

namespace fmha950::fused {

template <Scales SCALES, Stored STORED> class AttentionWave {
 public:
  using Lds = LdsOf<STORED>;
  using Stager = KvStager<SCALES, STORED>;
  using Keys = KeyProduct<microscaled(SCALES), STORED>;
  using Values = ValueProduct<SCALES == Scales::mx, STORED>;
  using Mask = attention::KeyMask<keys_per_tile, attention::ConsecutiveOrder>;
  using Scores = Float16[key_blocks];

  FMHA950_INLINE AttentionWave(const AttentionArguments& arguments, const attention::WorkItem& item,
                               LdsBytes lds)
      : arguments_(arguments), item_(item), lds_(lds_address(lds)), stager_(arguments, item, lds) {}

  FMHA950_INLINE void run() {
    const int heads_per_kv_head = static_cast<int>(arguments_.heads_per_kv_head);
    const auto [first, end] = attention::rows_of_wave(item_, heads_per_kv_head, wave_);
    const auto own =
        attention::tiles_of_rows<keys_per_tile>(arguments_.window, item_, heads_per_kv_head, first, end);
    const attention::QueryRows rows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first, end);
    if (item_.first_tile < item_.end_tile) { // else there is not even a page to look up
      const Keys keys(arguments_, rows);
      const Mask mask(attention::visible_keys(arguments_.window, item_, rows.query()), item_.key_length);
      const attention::TileRange whole = mask.whole_tiles();
      const auto compute = [&](int tile, auto parity) {
        // If this wave sees no key of the tile, it only stages data and meets barriers.
        const bool sees = own.begin <= tile && tile < own.end;
        begin_scores(tile, parity);
        Scores scores;
        if (sees) score(keys, scores, parity);
        begin_output(tile, parity);
        if (sees) accumulate(tile, tile - own.begin, mask, whole, scores, parity);
      };
      fill_pipeline(item_.first_tile);
      // Two tiles a turn: where they lie in LDS is part of the instructions, and takes no VALU.
      int tile = item_.first_tile;
      for (; tile + 1 < item_.end_tile; tile += 2) {
        compute(tile, Even{});
        compute(tile + 1, Odd{});
      }
      if (tile < item_.end_tile) compute(tile, Even{});
    }
    if (first < end) finish(rows);
  }

 private:
  FMHA950_INLINE void fill_pipeline(int tile) {
    stager_.look_up(tile);
    wait_vector_memory<0>("first_pages_arrived");
    stager_.resolve(tile);
    stager_.look_up(tile + 1);
    stager_.stage_k(tile, Even{});
    stager_.stage_v(tile, Even{});
    wait_vector_memory<Stager::k_transfer + Stager::v_transfer>("second_pages_arrived");
    stager_.resolve(tile + 1);
    stager_.look_up(tile + 2);
    stager_.stage_k(tile + 1, Odd{});
  }

  // Waits for this wave's K(tile); V(tile), pages(tile + 2) and K(tile + 1) follow it. Behind the barrier
  // K(tile) of all waves is there, and all have read V(tile - 1), whose place V(tile + 1) takes.
  FMHA950_INLINE void begin_scores(int tile, auto parity) {
    constexpr int younger = Stager::v_transfer + Stager::lookup + Stager::k_transfer;
    wait_vector_memory<younger>("k_arrived");
    barrier("barrier_before_scores");
    stager_.stage_v(tile + 1, other(parity));
  }
  // Waits for this wave's V(tile) and pages(tile + 2); K(tile + 1) and V(tile + 1) follow them. Behind the
  // barrier V(tile) of all waves is there, and all have read K(tile), whose place K(tile + 2) takes.
  FMHA950_INLINE void begin_output(int tile, auto parity) {
    constexpr int younger = Stager::k_transfer + Stager::v_transfer;
    wait_vector_memory<younger>("v_arrived");
    barrier("barrier_before_output");
    stager_.resolve(tile + 2);
    stager_.look_up(tile + 3);
    stager_.stage_k(tile + 2, parity);
  }

  FMHA950_INLINE void score(const Keys& keys, Scores& scores, auto parity) {
    constexpr uint32_t own = protection("k_scales_of_tile") ? parity : other(parity);
    constexpr uint32_t scales = Lds::k_scales(0, own);
    if constexpr (SCALES == Scales::page) descales_.template read<scales>(lists_);
    // Of two workgroups' waves on a SIMD the one with less left to multiply goes first, and the one in its softmax last: so one
    // multiplies while the other is in its softmax. With the same priority for all the older would have what both need.
    priority<2>();
    keys.template multiply<Lds::k_tile(parity), scales>(lds_, lists_, scores);
    if constexpr (SCALES == Scales::page) descales_.arrived();
  }

  FMHA950_INLINE void accumulate(int tile, int tiles_before, const Mask& mask, attention::TileRange whole,
                                 Scores& scores, auto parity) {
    constexpr uint32_t own = protection("v_scales_of_tile") ? parity : other(parity);
    Values values;
    values.template read<Lds::v_tile(parity), Lds::v_scales(0, own)>(lds_, lists_);
    if (tile < whole.begin || tile >= whole.end) [[unlikely]]
      mask.hide(scores, tile);
    const float scale =
        SCALES == Scales::page ? arguments_.score_scale * descales_.k() : arguments_.score_scale;
    priority<0>();
    softmax_.follow_if_grown(column_maximum(scores), scale, tiles_before);
    rescale_output();
    Word4 probabilities[key_blocks];
    for (int block = 0; block < key_blocks; ++block) soften(scores[block], scale, probabilities[block]);
    priority<1>();
    values.multiply(probabilities, output_);
  }

  // P of a block of 32 keys. All exponents come first, by packed instructions, which clang takes apart where it may move them
  // behind a matrix instruction.
  FMHA950_INLINE void soften(const Float16& scores, float scale, Word4& probabilities) {
    Float2 p[8];
    for (int pair = 0; pair < 8; ++pair)
      p[pair] = softmax_.exponents(Float2{scores[2 * pair], scores[2 * pair + 1]}, scale);
    for (Float2& pair : p) pair = softmax_.probabilities(pair);
    for (int quad = 0; quad < 4; ++quad) {
      const Float2 low = p[2 * quad], high = p[2 * quad + 1];
      probabilities[quad] = softmax_.round(low[0], low[1], high[0], high[1]);
    }
  }

  FMHA950_INLINE void rescale_output() {
    bool needed = softmax_.rescaled();
    float factor = needed ? softmax_.factor() : 1;
    if constexpr (SCALES == Scales::page) {
      needed = needed || descales_.v_changed();
      factor *= descales_.v_ratio();
    }
    if (needed && protection("output_rescaled"))
      for (auto& block : output_) block *= factor;
  }

  FMHA950_INLINE void finish(const attention::QueryRows& rows) const {
    const attention::RowResult result(softmax_);
    const float value_scale = SCALES == Scales::page ? descales_.v() : arguments_.value_scale;
    rows.store<bf16>(arguments_.output, output_, result.output_factor(value_scale));
    rows.store_lse(arguments_.lse, result.lse());
  }

  const AttentionArguments& arguments_;
  const attention::WorkItem& item_;
  uint32_t lds_;
  uint32_t wave_ = wave_id();
  uint32_t lists_ = lds_ + Lds::lists_of_wave * wave_; // of scales
  Stager stager_;
  PageDescales descales_;
  attention::LazySoftmax<fp8_shift> softmax_;
  Float16 output_[column_blocks] = {};
};

// The whole kernel.
template <Scales SCALES, Stored STORED> FMHA950_INLINE void attention(const AttentionArguments& arguments) {
  // Places in a tile are XORed.
  __shared__ char lds[LdsOf<STORED>::bytes(SCALES)] __attribute__((aligned(1024)));
  const attention::WorkItem item = arguments.work[workgroup_id_x()];
  AttentionWave<SCALES, STORED>(arguments, item, (LdsBytes)lds).run();
}

} // namespace fmha950::fused
