#pragma once
// One wave of the attention of append_prefill;
// append.hip says how the four waves of a workgroup play together.

#include "attention/query_rows.hpp"
#include "impl_baseline/append/tile_stager.hpp"
#include "impl_baseline/key_product.hpp"
#include "impl_baseline/tile_softmax.hpp"
#include "impl_baseline/value_product.hpp"

namespace fmha950::baseline::append {

template <class Variant> class AppendWave {
 public:
  using Lds = LdsLayout<Variant>;
  using Keys = KeyProduct<Variant>;
  using Values = ValueProduct<Variant>;
  using Mask = attention::KeyMask<keys_per_tile, attention::ConsecutiveOrder>;

  FMHA950_INLINE AppendWave(const AppendArguments& arguments, const attention::WorkItem& item, LdsBytes lds)
      : arguments_(arguments.attention), item_(item), lds_(lds_address(lds)), stager_(arguments, item),
        softmax_(arguments.attention) {}

  // A work item has queries, hence keys.
  FMHA950_INLINE void run() {
    const auto [first, end] =
        attention::rows_of_wave(item_, static_cast<int>(arguments_.heads_per_kv_head), wave_id());
    const attention::QueryRows rows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first, end);
    Keys::load_queries(arguments_.q, rows, queries_);
    pin(queries_);
    const Mask mask(attention::visible_keys(arguments_.window, item_, rows.query()), item_.key_length);
    whole_tiles_ = mask.whole_tiles();
    int tile = item_.first_tile;
    stage_first(tile);
    // A step stages the rest of the next tile and begins that after it.
    const int end_of_old = minimum(stager_.end_of_old_tiles() - 2, item_.end_tile);
    for (; tile < end_of_old; ++tile) process<Rows::old>(tile, mask);
    for (; tile < item_.end_tile; ++tile) process<Rows::any>(tile, mask);
    keys_.abandon();
    if (first < end) finish(rows);
  }

 private:
  FMHA950_INLINE void stage_first(int tile) {
    stager_.template locate<Rows::any>(tile);
    stager_.template load_k<Rows::any>();
    stager_.look_ahead(tile + 1);
    stager_.template write_k<Rows::any>(lds_ + Lds::k_tile(tile & 1));
    stager_.template load_v<Rows::any>();
    stager_.template write_v<Rows::any>(lds_ + Lds::v_tile(tile & 1));
    begin<Rows::any>(tile);
  }

  // K(tile) and V(tile) have been written: behind the barrier those of all waves, and all have read the tile
  // before, whose places those of the next take.
  template <Rows OfNext> FMHA950_INLINE void begin(int tile) {
    stager_.template locate<OfNext>(tile + 1);
    stager_.template load_k<OfNext>();
    stager_.look_ahead(tile + 2);
    wait_lds<0>("tile_written");
    barrier("tile_barrier");
    keys_.begin(lds_ + Lds::k_tile(tile & 1));
  }

  // OfNext: the rows of the next two tiles, which are staged meanwhile. If they are all old, this tile is, too.
  template <Rows OfNext> FMHA950_INLINE void process(int tile, const Mask& mask) {
    const uint32_t next = (tile + 1) & 1;
    Values values(lds_ + Lds::v_tile(tile & 1), item_.key_length - tile * keys_per_tile);
    Float16 scores[Variant::key_blocks];
    keys_.multiply(queries_, scores, [&] {
      values.begin();
      stager_.template write_k<OfNext>(lds_ + Lds::k_tile(next));
      stager_.template load_v<OfNext>();
    });
    priority<0>(); // the SIMD's other wave may have its matrix instructions ready
    if constexpr (protection("cap_before_mask")) softmax_.cap(scores);
    if constexpr (OfNext == Rows::any) // all queries see all old keys
      if (tile < whole_tiles_.begin || tile >= whole_tiles_.end) [[unlikely]]
        mask.hide(scores, tile);
    if constexpr (!protection("cap_before_mask")) softmax_.cap(scores);
    accumulate(scores, values, [&] {
      stager_.template write_v<OfNext>(lds_ + Lds::v_tile(next));
      begin<OfNext>(tile + 1);
    });
  }

  template <class AllRead>
  FMHA950_INLINE void accumulate(Float16 (&scores)[Variant::key_blocks], Values& values, AllRead all_read) {
    const auto rescale = softmax_.follow(scores);
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
  const attention::WorkItem& item_;
  uint32_t lds_;
  TileStager<Variant> stager_;
  Keys keys_;
  attention::TileRange whole_tiles_; // [begin, end): every query of the wave sees all their keys
  TileSoftmax<Variant> softmax_;
  typename Keys::Queries queries_;
  Float16 output_[Variant::column_blocks] = {};
};

} // namespace fmha950::baseline::append
