#pragma once
// Brings K and V tiles from scratch to LDS, every wave an eighth of each: two DMA instructions of four rows, and one more of
// K's columns past the 128th.
// In issue order a wave's vector memory operations are always
//   ..., slots(t + 1), V(t), K(t + 1), slots(t + 2), V(t + 1), K(t + 2), ...
// so every wait is a constant count of younger operations. Tiles past the end re-read the last key: the
// counts stay true to the end, and nothing outside of the request's keys is ever read.

#include "gfx950/global.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"
#include "impl_prepass/kernel_arguments.hpp"
#include "impl_prepass/tile_layout.hpp"

namespace fmha950::prepass {

using namespace gfx950;

constexpr int waves = attention_threads / wave_lanes;

// LDS of one workgroup: two K tiles, two V tiles, and for page descales every wave's own copy of the descale
// of each of the tile's keys (its own, so that no other wave is waited for).
template <bool PageDescales, int KeyDim> struct LdsLayout {
  static constexpr uint32_t k_tile_bytes =
      TileLayout::bytes + (KeyDim > head_dim ? NarrowTileLayout::bytes : 0);
  static constexpr uint32_t k_tile(uint32_t parity) { return parity * k_tile_bytes; }
  static constexpr uint32_t v_tile(uint32_t parity) { return 2 * k_tile_bytes + parity * TileLayout::bytes; }
  static constexpr uint32_t descale_bytes = keys_per_tile * 4;
  static constexpr uint32_t k_descale(uint32_t wave, uint32_t parity) {
    return v_tile(2) + (wave * 4 + parity) * descale_bytes;
  }
  static constexpr uint32_t v_descale(uint32_t wave, uint32_t parity) { return k_descale(wave, 2 + parity); }
  static constexpr uint32_t bytes = PageDescales ? k_descale(waves, 0) : v_tile(2);
};

template <bool PageDescales, int KeyDim> class KvStager {
 public:
  using Layout = LdsLayout<PageDescales, KeyDim>;
  static constexpr bool more_columns = KeyDim > head_dim;
  // Vector memory operations of one look_up(), one stage_k() and one stage_v().
  static constexpr int lookup = PageDescales ? 3 : 2, v_transfer = lookup, k_transfer = lookup + more_columns;

  FMHA950_INLINE KvStager(const AttentionArguments& arguments, const attention::WorkItem& item, LdsBytes lds)
      : lds_(lds), slots_(arguments.slots + item.table_begin), page_shift_(arguments.page_shift),
        last_key_(item.key_length - 1) {
    const uint64_t head_rows = arguments.slot_count << page_shift_;
    k_ = scratch_of_head(arguments.k, head_rows * k_row_bytes, item);
    v_ = scratch_of_head(arguments.v, head_rows * row_bytes, item);
    if constexpr (PageDescales) {
      const uint64_t head_slots =
          static_cast<uint64_t>(arguments.slot_count) * static_cast<uint32_t>(item.kv_head);
      k_descale_ = raw_buffer(arguments.k_slot_descale + head_slots, arguments.slot_count * 4);
      v_descale_ = raw_buffer(arguments.v_slot_descale + head_slots, arguments.slot_count * 4);
    }
  }

  // Starts to load the scratch slots of the tile's rows that this wave stages.
  FMHA950_INLINE void look_up(int tile) {
    const int first = tile * keys_per_tile;
    for (int half = 0; half < 2; ++half) {
      key_[half] = clamped(first + static_cast<int>(row_ + 32 * half));
      load_global(slot_[half], slots_, (key_[half] >> page_shift_) * 4);
    }
    if constexpr (PageDescales) {
      const int key = clamped(first + static_cast<int>(lane_id()));
      load_global(descale_slot_, slots_, (key >> page_shift_) * 4);
    }
  }

  // Turns the slots looked up, which the caller has waited for, into offsets.
  FMHA950_INLINE void resolve() {
    pin(slot_);
    const uint32_t page_mask = low_bits(page_shift_);
    for (int half = 0; half < 2; ++half) {
      const uint32_t row = (slot_[half] << page_shift_) | (key_[half] & page_mask);
      offset_[half] = row * row_bytes + chunk_offset_;
      if constexpr (more_columns) k_offset_[half] = row * k_row_bytes + chunk_offset_;
    }
    if constexpr (more_columns) {
      const uint32_t upper = k_offset_[1],
                     row_begin = (NarrowTileLayout::is_upper(lane_id()) ? upper : k_offset_[0]);
      narrow_offset_ = row_begin - chunk_offset_ + (row_bytes + NarrowTileLayout::chunk_of(lane_id()) * 16);
    }
    if constexpr (PageDescales) {
      pin(descale_slot_);
      descale_offset_ = descale_slot_ * 4;
    }
  }

  // Start to copy the tile whose slots were resolved last.
  FMHA950_INLINE void stage_k(int tile) {
    const uint32_t parity = tile & 1;
    const uint32_t tile_begin = Layout::k_tile(parity);
    stage(k_, more_columns ? k_offset_ : offset_, tile_begin);
    if constexpr (more_columns)
      load_to_lds<16>(k_, narrow_offset_,
                      lds_ + tile_begin + TileLayout::bytes + wave_ * NarrowTileLayout::strip_bytes);
    if constexpr (PageDescales)
      load_to_lds<4>(k_descale_, descale_offset_, lds_ + Layout::k_descale(wave_, parity));
  }
  FMHA950_INLINE void stage_v(int tile) {
    const uint32_t parity = tile & 1;
    stage(v_, offset_, Layout::v_tile(parity));
    if constexpr (PageDescales)
      load_to_lds<4>(v_descale_, descale_offset_, lds_ + Layout::v_descale(wave_, parity));
  }

 private:
  FMHA950_INLINE int clamped(int key) const {
    if constexpr (!protection("key_clamp")) return key;
    // The unused slots of the last page may hold NaN, and P = 0 does not make 0 of them.
    if constexpr (!protection("unused_slots"))
      return minimum(key, last_key_ | static_cast<int>(low_bits(page_shift_)));
    return minimum(key, last_key_);
  }

  static constexpr uint32_t k_row_bytes = KeyDim * 2;

  static FMHA950_INLINE BufferResource scratch_of_head(const void* scratch, uint64_t bytes,
                                                       const attention::WorkItem& item) {
    return raw_buffer(static_cast<const char*>(scratch) + bytes * static_cast<uint32_t>(item.kv_head), bytes);
  }

  FMHA950_INLINE void stage(BufferResource source, const uint32_t (&offsets)[2], uint32_t tile_begin) {
    for (uint32_t half = 0; half < 2; ++half)
      load_to_lds<16>(source, offsets[half],
                      lds_ + tile_begin + (wave_ + half * waves) * TileLayout::strip_bytes);
  }

  BufferResource k_, v_, k_descale_, v_descale_;
  LdsBytes lds_;
  const int32_t* slots_;
  uint32_t page_shift_;
  int last_key_;
  uint32_t wave_ = wave_id();
  uint32_t row_ = TileLayout::row_of(wave_, lane_id());
  uint32_t chunk_offset_ = TileLayout::chunk_of(lane_id()) * 16;
  int key_[2];
  uint32_t slot_[2];
  uint32_t descale_slot_;
  uint32_t offset_[2]; // of V, and of K where its rows are as long
  uint32_t k_offset_[2], narrow_offset_;
  uint32_t descale_offset_;
};

} // namespace fmha950::prepass
