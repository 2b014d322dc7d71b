#pragma once
// Brings K and V tiles from their pages to LDS, every wave a quarter of each, with 64-bit addresses per lane:
// any page size and any size of the pool are one path. In issue order a wave's vector memory operations are
// always
//   ..., V(t), pages(t + 2), K(t + 1), V(t + 1), pages(t + 3), K(t + 2), ...
// so every wait is a constant count of younger operations. Tiles past the end re-read the last key: the
// counts stay true to the end, and nothing outside of the request's keys is ever looked up.

#include "gfx950/lds_dma.hpp"
#include "gfx950/unroll.hpp"
#include "impl_baseline/page_lookup.hpp"

namespace fmha950::baseline {

template <class Variant> class KvStager {
 public:
  using Lds = LdsLayout<Variant>;
  using Tile = typename Variant::Tile;
  // Vector memory operations of one stage_k() or one stage_v(), and of one look_up().
  static constexpr int transfer = Variant::strips_per_wave + (Variant::block_scale ? 1 : 0);
  static constexpr int lookup = 1;

  FMHA950_INLINE KvStager(const AttentionArguments& arguments, const attention::WorkItem& item, LdsBytes lds)
      : lds_(lds), pools_(arguments.pools), head_(static_cast<uint32_t>(item.kv_head)),
        head_begin_(head_ * arguments.pools.head_stride), page_mask_((1u << arguments.page_shift) - 1),
        last_key_(item.key_length - 1),
        pages_(arguments.table + item.table_begin, arguments.page_shift,
               MaxPageTableIndex{static_cast<uint32_t>(item.key_length - 1) >> arguments.page_shift},
               lds + Lds::page_list(wave_id())),
        kv_heads_(arguments.kv_heads), k_descale_(arguments.k_descale), v_descale_(arguments.v_descale) {}

  FMHA950_INLINE void look_up(int tile) { pages_.start(tile); }

  // Turns the pages of `tile`, whose look-up the caller has waited for, into places in the pools.
  FMHA950_INLINE void resolve(int tile) {
    unrolled<Variant::strips_per_wave>([&](auto strip) {
      const uint32_t slot = slot_of(tile, row_of(strip));
      const uint32_t chunk = Tile::chunk_of(strip, lane_id());
      place_[strip] = head_begin_ + slot * pools_.k_row_stride + chunk * pools_.k_chunk_stride;
    });
    // Before the pages are read: clang multiplies by an instruction that also reads a register whose value
    // does not matter, and it must not be one in flight.
    pin(place_);
    unrolled<Variant::strips_per_wave>([&](auto strip) { pages_.read(page_[strip], row_of(strip)); });
    if constexpr (keyed) pages_.read(page_of_key_, lane_id());
    if constexpr (protection("pages_read")) wait_lds<0>();
    pin(page_);
    if constexpr (keyed) pin(page_of_key_);
  }

  // Start to copy the tile that was resolved last.
  FMHA950_INLINE void stage_k(int tile) {
    stage_rows(pools_.k, pools_.k_page_stride, Lds::k_tile(tile & 1));
    if constexpr (Variant::block_scale) stage_descales(k_descale_, Lds::k_descale(wave_, tile & 1));
  }
  FMHA950_INLINE void stage_v(int tile) {
    if constexpr (Variant::vectorized)
      stage_columns(tile);
    else
      stage_rows(pools_.v, pools_.v_page_stride, Lds::v_tile(tile & 1));
    if constexpr (Variant::block_scale) stage_descales(v_descale_, Lds::v_descale(wave_, tile & 1));
  }

 private:
  // Whether the pages of all keys of the tile are kept, lane by lane, and not only those of the lane's rows.
  static constexpr bool keyed = Variant::vectorized || Variant::block_scale;

  // Of the tile, for the lane that fetches a chunk of it.
  FMHA950_INLINE uint32_t row_of(uint32_t strip) const {
    return wave_ * (keys_per_tile / waves) + Tile::row_of(strip, lane_id());
  }

  // Within its page.
  FMHA950_INLINE uint32_t slot_of(int tile, uint32_t key_of_tile) const {
    const int key = tile * keys_per_tile + static_cast<int>(key_of_tile);
    // The unused slots of the last page may hold NaN, and P = 0 does not make 0 of them.
    constexpr bool clamped = Variant::vectorized || protection("unused_slots_linear");
    return static_cast<uint32_t>(clamped ? minimum(key, last_key_) : key) & page_mask_;
  }

  FMHA950_INLINE void stage_rows(const void* pool, uint32_t page_stride, uint32_t tile_begin) {
    unrolled<Variant::strips_per_wave>([&](auto strip) {
      stage(pool, page_[strip] * uint64_t(page_stride), place_[strip], tile_begin, strip);
    });
  }

  // VECTORIZED V: a strip is 64 columns of one chunk of keys, hence of one page. Keys past the end in the
  // last chunk are left to whoever reads them (ValueProduct).
  FMHA950_INLINE void stage_columns(int tile) {
    constexpr uint32_t strips_per_chunk = Variant::head_dim / 64;
    unrolled<Variant::strips_per_wave>([&](auto strip) {
      const uint32_t number = wave_ * Variant::strips_per_wave + strip;
      const uint32_t key = number / strips_per_chunk * Variant::chunk_keys;
      const uint32_t slot = slot_of(tile, key);
      const uint32_t column = number % strips_per_chunk * 64 + lane_id();
      const uint32_t place = head_begin_ + (slot / Variant::chunk_keys * Variant::head_dim + column) * 16;
      stage(pools_.v, page_of_uniform(key) * uint64_t(pools_.v_page_stride), place, Lds::v_tile(tile & 1),
            strip);
    });
  }

  // 64 bits for the page's begin: pools may exceed 4 GiB.
  FMHA950_INLINE void stage(const void* pool, uint64_t page_begin, uint32_t place, uint32_t tile_begin,
                            uint32_t strip) {
    constexpr bool whole = protection(Variant::vectorized ? "page_base_vectorized" : "page_base_linear");
    const uint64_t offset = (whole ? page_begin : static_cast<uint32_t>(page_begin)) + place;
    const uint32_t number = wave_ * Variant::strips_per_wave + strip;
    load_to_lds<16>(static_cast<const char*>(pool) + offset, lds_ + tile_begin + number * Tile::strip_bytes);
  }

  FMHA950_INLINE uint32_t page_of_uniform(uint32_t key) const {
    return static_cast<uint32_t>(
        __builtin_amdgcn_readlane(static_cast<int>(page_of_key_), static_cast<int>(key)));
  }

  // Lane l brings the descale of key l.
  FMHA950_INLINE void stage_descales(const float* descale, uint32_t destination) {
    const uint64_t index =
        static_cast<uint64_t>(page_of_key_) * kv_heads_ + (protection("descale_of_head") ? head_ : 0);
    load_to_lds<4>(descale + index, lds_ + destination);
  }

  LdsBytes lds_;
  Pools pools_;
  uint32_t head_, head_begin_, page_mask_;
  int last_key_;
  PageLookup<Variant> pages_;
  uint32_t kv_heads_;
  const float *k_descale_, *v_descale_;
  uint32_t wave_ = wave_id();
  // Of the tile that was resolved last: the page of the row that the lane fetches of each strip, and the
  // place of its chunk in that page.
  uint32_t page_[Variant::strips_per_wave], place_[Variant::strips_per_wave];
  uint32_t page_of_key_; // of key l for lane l
};

} // namespace fmha950::baseline
