#pragma once
// Brings K and V tiles from their pages to LDS, every wave a quarter of each (attention/row_stager.hpp),
// and their scales, every wave all of them for itself.
// In issue order a wave's vector memory operations are always
//   ..., V(t), pages(t + 2), K(t + 1), V(t + 1), pages(t + 3), K(t + 2), ...
// where the scales of a tile follow its rows: every wait is a constant count of younger operations.

#include "attention/row_stager.hpp"
#include "gfx950/lds_dma.hpp"
#include "impl_fused/variant.hpp"

namespace fmha950::fused {

template <Scales SCALES, Stored STORED> class KvStager {
  using Lds = LdsOf<STORED>;

 public:
  using Rows = attention::RowStager<TileOf<STORED>, waves, SCALES != Scales::tensor, false>;
  // Vector memory operations of stage_k(), stage_v() and look_up().
  static constexpr int k_transfer = Rows::strips + (SCALES != Scales::tensor ? 1 : 0);
  static constexpr int v_transfer = Rows::strips + (SCALES == Scales::mx ? 1 : 0);
  static constexpr int lookup = Rows::lookup;

  FMHA950_INLINE KvStager(const AttentionArguments& arguments, const attention::WorkItem& item, LdsBytes lds)
      : arguments_(arguments), lds_(lds), head_(static_cast<uint32_t>(item.kv_head)),
        rows_(arguments.table, arguments.page_shift, item,
              {head_ * row_bytes(STORED), arguments.row_stride, 16}, lds, Lds::page_lists) {}

  FMHA950_INLINE void look_up(int tile) { rows_.look_up(tile); }
  FMHA950_INLINE void resolve(int tile) { rows_.resolve(tile); }

  // Start to copy the tile that was resolved last, to the place of this parity.
  FMHA950_INLINE void stage_k(int tile, auto parity) {
    rows_.stage(arguments_.k_pool, arguments_.page_stride, Lds::k_tile(parity));
    const uint32_t list = Lds::k_scales(wave_, parity);
    if constexpr (microscaled(SCALES))
      stage_scales(arguments_.k_scale,
                   rows_.slot_of(tile, lane_id()) * arguments_.kv_heads * 4 + head_of_scales_ * 4, list);
    if constexpr (SCALES == Scales::page) // K's by the lower lanes, V's by the upper ones
      stage_scales(lane_id() < 32 ? arguments_.k_scale : arguments_.v_scale, head_of_scales_ * 4, list);
  }
  FMHA950_INLINE void stage_v(int tile, auto parity) {
    rows_.stage(arguments_.v_pool, arguments_.page_stride, Lds::v_tile(parity));
    if constexpr (SCALES == Scales::mx) {
      // Key l of the tile for lane l, where the scales of a block of 32 that has no key may be NaN: a key
      // past the end counts as the last one. The lane brings columns 4 (l % 32), ... of the key's block.
      constexpr bool clamped = protection("unused_scales");
      const uint32_t slot = clamped ? rows_.slot_of(tile, lane_id())
                                    : (tile * keys_per_tile + lane_id()) & low_bits(arguments_.page_shift);
      stage_scales(arguments_.v_scale,
                   (slot / 32 * arguments_.kv_heads + head_of_scales_) * head_dim + lane_id() % 32 * 4,
                   Lds::v_scales(wave_, parity));
    }
  }

 private:
  // 64 bits for the begin of the page of key l.
  FMHA950_INLINE void stage_scales(const uint8_t* scales, uint32_t place, uint32_t list) {
    load_to_lds<4>(scales + uint64_t(rows_.page_of_key()) * arguments_.scale_page_stride + place,
                   lds_ + list);
  }

  const AttentionArguments& arguments_;
  LdsBytes lds_;
  uint32_t head_;
  uint32_t head_of_scales_ = summand(head_, "scale_of_head");
  Rows rows_;
  uint32_t wave_ = wave_id();
};

} // namespace fmha950::fused
