#pragma once
// Brings K and V tiles from their pages to LDS, every wave a quarter of each (attention/row_stager.hpp), and
// with page descales those of their keys. In issue order a wave's vector memory operations are always
//   ..., V(t), pages(t + 2), K(t + 1), V(t + 1), pages(t + 3), K(t + 2), ...
// t being steps of the walk, so every wait is a constant count of younger operations.

#include "attention/page_row_stager.hpp"
#include "impl_baseline/tile_walk.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> class KvStager {
 public:
  using Lds = LdsLayout<Variant>;
  using Tile = typename Variant::Tile;
  using ValueTile = typename Variant::ValueTile;
  // Whether rows of V are not as long as K's: VECTORIZED, V has none.
  static constexpr bool own_value_rows = Variant::value_dim != Variant::head_dim && !Variant::vectorized;
  // Descales and VECTORIZED V need the pages of all keys of a tile, unless it has one.
  template <bool> struct RowsOf {
    using Type = attention::RowStager<Tile, waves, Variant::vectorized || Variant::page_descales,
                                      Variant::vectorized, typename Variant::Pages, !own_value_rows>;
  };
  template <> struct RowsOf<true> {
    using Type = attention::PageRowStager<Tile, waves>;
  };
  using Rows = typename RowsOf<Variant::one_page_a_tile>::Type;
  struct NoValueRows { // they are K's; a stager beside it moves the code of kernels that do not use it
    FMHA950_INLINE explicit NoValueRows(auto&&...) {}
  };
  template <bool> struct ValueRowsOf {
    using Type = NoValueRows;
  };
  template <> struct ValueRowsOf<true> {
    using Type = attention::RowStager<ValueTile, waves, false, false, typename Variant::Pages, false>;
  };
  using ValueRows = typename ValueRowsOf<own_value_rows>::Type;
  // Vector memory operations of one stage_k() and one stage_v() together, and of one look_up().
  static constexpr int transfers =
      Variant::strips_per_wave + Variant::value_strips_per_wave + (Variant::page_descales ? 2 : 0);
  static constexpr int lookup = Rows::lookup;

  FMHA950_INLINE KvStager(const typename Variant::Arguments& arguments, const attention::WorkItem& item,
                          const TileWalk& walk, LdsBytes lds)
      : lds_(lds), walk_(walk), next_(walk.tile(walk.begin())), pools_(arguments.pools),
        head_(static_cast<uint32_t>(item.kv_head)), head_begin_(head_ * arguments.pools.head_stride),
        rows_(arguments.table, pages_of(arguments), item,
              {head_begin_, pools_.k_row_stride, pools_.k_chunk_stride}, lds, Lds::page_list(0)),
        value_rows_(arguments.table, pages_of(arguments), item,
                    attention::RowsOfPage{of_values(head_begin_), of_values(pools_.k_row_stride), 16}, lds,
                    Lds::page_list(0)),
        kv_heads_(arguments.kv_heads), k_descale_(arguments.k_descale), v_descale_(arguments.v_descale) {}

  // The tiles in the order of the walk: each call takes the next one.
  FMHA950_INLINE void look_up() {
    rows_.look_up(next_);
    looked_up_ = next_;
    next_ = walk_.after(next_);
  }
  // The tile that was looked up last.
  FMHA950_INLINE void resolve() {
    start_resolve();
    finish_resolve<0>();
  }
  FMHA950_INLINE void start_resolve() {
    resolved_ = looked_up_;
    rows_.start_resolve(resolved_);
    if constexpr (own_value_rows) value_rows_.start_resolve(resolved_);
  }
  template <int Younger> FMHA950_INLINE void finish_resolve() {
    rows_.template finish_resolve<Younger>();
    if constexpr (own_value_rows) value_rows_.take_resolved();
    if constexpr (Variant::one_page_a_tile) {
      descale_ = uint64_t(rows_.page()) * kv_heads_ + summand(head_, "descale_of_head");
    } else if constexpr (Variant::page_descales) {
      descale_ = uint64_t(rows_.page_of_key()) * kv_heads_ + summand(head_, "descale_of_head");
      pin(descale_); // once for K and V
    }
  }

  // Start to copy the tile that was resolved last, V of step `step`, to where steps of a parity have theirs.
  FMHA950_INLINE void stage_k(int parity) {
    rows_.stage(pools_.k, pools_.k_page_stride, Lds::k_tile(parity));
    if constexpr (Variant::page_descales) stage_descales(k_descale_, Lds::k_descale(wave_, parity));
  }
  FMHA950_INLINE void stage_v(int step, int parity) {
    if constexpr (Variant::vectorized)
      stage_columns(step, parity);
    else if constexpr (own_value_rows)
      value_rows_.stage(pools_.v, pools_.v_page_stride, Lds::v_tile(parity));
    else
      rows_.stage(pools_.v, pools_.v_page_stride, Lds::v_tile(parity));
    if constexpr (Variant::page_descales) stage_descales(v_descale_, Lds::v_descale(wave_, parity));
  }

 private:
  // VECTORIZED V: a strip is 64 columns of one chunk of keys, hence of one page. Keys past the end in the
  // last chunk are left to whoever reads them (ValueProduct).
  FMHA950_INLINE void stage_columns(int step, int parity) {
    const int tile = protection("v_jumps_too") ? resolved_ : walk_.tile_without_jump(step);
    constexpr uint32_t strips_per_chunk = Variant::value_dim / 64;
    unrolled<Variant::value_strips_per_wave>([&](auto strip) {
      const uint32_t number = wave_ * Variant::value_strips_per_wave + strip;
      const uint32_t key = number / strips_per_chunk * Variant::chunk_keys;
      const uint32_t slot = rows_.slot_of(tile, key);
      const uint32_t column = number % strips_per_chunk * 64 + lane_id();
      const uint32_t place =
          of_values(head_begin_) + (slot / Variant::chunk_keys * Variant::value_dim + column) * 16;
      rows_.template stage_strip<Variant::value_strips_per_wave>(
          pools_.v, page_of_uniform(key) * uint64_t(pools_.v_page_stride), place, Lds::v_tile(parity), strip);
    });
  }

  // Bytes of a row, or of several, of K in V.
  static FMHA950_INLINE uint32_t of_values(uint32_t bytes) {
    if constexpr (Variant::value_dim == Variant::head_dim || !protection("value_strides")) return bytes;
    return bytes / Variant::head_dim * Variant::value_dim;
  }

  FMHA950_INLINE uint32_t page_of_uniform(uint32_t key) const {
    return static_cast<uint32_t>(
        __builtin_amdgcn_readlane(static_cast<int>(rows_.page_of_key()), static_cast<int>(key)));
  }

  // Lane l brings the descale of key l.
  FMHA950_INLINE void stage_descales(const float* descale, uint32_t destination) {
    load_to_lds<4>(descale + descale_, lds_ + destination);
  }

  LdsBytes lds_;
  TileWalk walk_;
  int next_, looked_up_, resolved_; // tiles: to be looked up, looked up last, resolved last
  Pools pools_;
  uint32_t head_, head_begin_;
  Rows rows_;
  [[no_unique_address]] ValueRows value_rows_;
  uint32_t kv_heads_;
  const float *k_descale_, *v_descale_;
  uint64_t descale_; // of key l of the tile that was resolved last, for lane l
  uint32_t wave_ = wave_id();
};

} // namespace fmha950::baseline
