#pragma once
// One wave of the attention of append_prefill;
// append.hip says how the four waves of a workgroup play together.

#include "attention/query_rows.hpp"
#include "impl_baseline/append/tile_stager.hpp"
#include "impl_baseline/key_product.hpp"
#include "impl_baseline/sink_mask.hpp"
#include "impl_baseline/tile_softmax.hpp"
#include "impl_baseline/value_product.hpp"

namespace fmha950::baseline::append {

template <bool Windowed> struct MaskOf {
  using Type = SinkMask;
};
template <> struct MaskOf<false> {
  using KeyMask = attention::KeyMask<keys_per_tile, attention::ConsecutiveOrder>;
  struct Type : KeyMask {
    FMHA950_INLINE Type(attention::KeyRange keys, int key_length, int) : KeyMask(keys, key_length) {}
  };
};

// Windowed: with a sliding window, beside which sinks may stay visible. Rotary: Q and the chunk's K come before their
// rotary embedding.
template <class Variant, bool Windowed, bool Rotary> class AppendWave {
 public:
  using Lds = LdsLayout<Variant>;
  using Keys = KeyProduct<Variant>;
  using Values = ValueProduct<Variant>;
  using Order = typename TileOrderOf<Windowed>::Type;

  FMHA950_INLINE AppendWave(const AppendArguments& arguments, const attention::WorkItem& item, LdsBytes lds)
      : arguments_(arguments.attention), rotary_(arguments.rotary), item_(item), lds_(lds_address(lds)),
        order_(arguments.attention, item), stager_(arguments, item, order_), softmax_(arguments.attention) {}

  // A work item has queries, hence keys.
  FMHA950_INLINE void run() {
    const auto [first, end] =
        attention::rows_of_wave(item_, static_cast<int>(arguments_.heads_per_kv_head), wave_id());
    const attention::QueryRows rows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first, end);
    Keys::load_queries(arguments_.q, rows, queries_);
    if constexpr (Rotary && protection("rope_queries")) rotate_queries(rows);
    pin(queries_);
    const Mask mask = mask_of(rows.query());
    whole_tiles_ = mask.whole_tiles();
    int step = order_.begin();
    stage_first(step);
    // A step stages the rest of the next tile and begins that after it.
    const int end_of_old = minimum(stager_.end_of_old_steps() - 2, order_.end());
    for (; step < end_of_old; ++step) process<Rows::old>(step, mask);
    for (; step < order_.end(); ++step) process<Rows::any>(step, mask);
    keys_.abandon();
    if (first < end) finish(rows);
  }

 private:
  // The chunks of load_queries() are of 8 columns each.
  FMHA950_INLINE void rotate_queries(const attention::QueryRows& rows) {
    const Rotation<typename Variant::Element> rotation(
        rotary_, position_of(rotary_, static_cast<uint32_t>(item_.query_begin + rows.query())));
    const char* const row = static_cast<const char*>(arguments_.q) + rows.index() * Variant::row_bytes;
    unrolled<Variant::column_steps>(
        [&](auto s) { queries_[s] = rotation.rotate(queries_[s], row, (2 * s + lane_id() / 32) * 8); });
  }

  using Mask = typename MaskOf<Windowed>::Type;
  FMHA950_INLINE Mask mask_of(int query) const {
    return {attention::visible_keys(arguments_.window, item_, query), item_.key_length,
            arguments_.sink_tokens};
  }

  FMHA950_INLINE void stage_first(int step) {
    stager_.template locate<Rows::any>(step);
    stager_.template load_k<Rows::any>();
    stager_.look_ahead(step + 1);
    stager_.template rotate_k<Rows::any>();
    stager_.template write_k<Rows::any>(lds_ + Lds::k_tile(step & 1));
    stager_.template load_v<Rows::any>();
    stager_.template write_v<Rows::any>(lds_ + Lds::v_tile(step & 1));
    begin<Rows::any>(step);
  }

  // K(step) and V(step) have been written: behind the barrier those of all waves, and all have read the tile
  // before, whose places those of the next take.
  template <Rows OfNext> FMHA950_INLINE void begin(int step) {
    stager_.template locate<OfNext>(step + 1);
    stager_.template load_k<OfNext>();
    stager_.look_ahead(step + 2);
    wait_lds<0>("tile_written");
    barrier("tile_barrier");
    keys_.begin(Lds::k_place(lds_, step & 1));
    priority<2>();
  }

  // OfNext: the rows of the next two tiles, which are staged meanwhile. If they are all old, this tile is, too.
  template <Rows OfNext> FMHA950_INLINE void process(int step, const Mask& mask) {
    const uint32_t next = (step + 1) & 1;
    Values values(Lds::v_place(lds_, step & 1), item_.key_length - step * keys_per_tile);
    stager_.template rotate_k<OfNext>(); // here, as the product leaves no registers for it
    Float16 scores[Variant::key_blocks];
    keys_.multiply(Lds::k_place(lds_, step & 1), queries_, scores, [&] {
      values.begin();
      stager_.template write_k<OfNext>(lds_ + Lds::k_tile(next));
      stager_.template load_v<OfNext>();
    });
    // Of two workgroups' waves on a SIMD the one with less left to multiply goes first, and the one in its softmax last: so one
    // multiplies while the other is in its softmax. With the same priority for both products the older wave would have what
    // both need.
    priority<0>();
    if constexpr (protection("cap_before_mask")) softmax_.cap(scores);
    if constexpr (Windowed || OfNext == Rows::any) // without a window all queries see all old keys
      if (step < whole_tiles_.begin || step >= whole_tiles_.end) [[unlikely]] {
        int tile = order_.tile(step);
        if constexpr (Windowed) pin_scalar(tile); // clang would count what follows of it in every step
        mask.hide(scores, tile);
      }
    if constexpr (!protection("cap_before_mask")) softmax_.cap(scores);
    accumulate(step, scores, values, [&] {
      stager_.template write_v<OfNext>(lds_ + Lds::v_tile(next));
      begin<OfNext>(step + 1);
    });
  }

  template <class AllRead>
  FMHA950_INLINE void accumulate(int step, Float16 (&scores)[Variant::key_blocks], Values& values,
                                 AllRead all_read) {
    const auto rescale = softmax_.follow(scores, step - order_.begin());
    if (rescale.needed && protection("output_rescaled")) [[unlikely]]
      for (auto& block : output_) block *= rescale.factor;
    typename Values::Probabilities probabilities;
    const auto soften = [&](auto block) {
      softmax_.soften(scores[block]);
      Values::round(scores[block], probabilities + block * Variant::operands_per_block);
    };
    soften(Constant<0>{});
    const auto before_block = [&](auto block) { // the next one's probabilities: beside the products of this
      if constexpr (block + 1 < Variant::key_blocks) soften(Constant<block + 1>{});
    };
    priority<1>();
    values.multiply(probabilities, output_, before_block, all_read);
  }

  FMHA950_INLINE void finish(const attention::QueryRows& rows) {
    const float sink =
        arguments_.sink_logit == nullptr ? negative_infinity : arguments_.sink_logit[rows.head()];
    const auto result = softmax_.finish(sink);
    rows.store<typename Variant::Output>(arguments_.output, output_, result.output_factor);
    rows.store_lse(arguments_.lse, result.lse);
  }

  const AttentionArguments& arguments_;
  const RotaryArguments& rotary_;
  const attention::WorkItem& item_;
  uint32_t lds_;
  Order order_;
  TileStager<Variant, Order, Rotary> stager_;
  Keys keys_;
  attention::TileRange whole_tiles_; // [begin, end): every query of the wave sees all their keys
  TileSoftmax<Variant> softmax_;
  typename Keys::Queries queries_;
  Float16 output_[Variant::column_blocks] = {};
};

} // namespace fmha950::baseline::append
