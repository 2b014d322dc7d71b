#pragma once
// Brings the rows of the token's tiles to LDS by DMA. Two waves share a part of a tile: one brings the first
// strips, the other one the rest. A lane has the same row in all of them (variant.hpp). Ids are looked up
// ahead, by DMA to a list that the wave alone reads. A wave's vector memory operations always issue in order
//   ..., rows of t + 1, ids of t + 3, rows of t + 2, ids of t + 4, ...
// If all but one are complete, rows of t + 1 and ids of t + 2 are there.

#include "attention/sparse/row_address.hpp"
#include "attention/sparse/token_list.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

using attention::sparse::row_address;
using attention::sparse::TokenList;

template <class Format, class Lds> class RowStager {
 public:
  FMHA950_INLINE RowStager(const Arguments& arguments, const TokenList& list, LdsBytes lds)
      : pool_(arguments.pool), chunk_(arguments.chunk), list_(list), lds_(lds) {}

  // Starts to look up the lane's row of `tile`.
  FMHA950_INLINE void look_up(int tile) {
    list_.pin_pointers();
    load_to_lds<4>(list_.entry(position(tile, Part::row_of(lane_id()))), lds_ + ids(tile));
  }

  // Starts to read the ids of `tile` from the list, where they have arrived.
  static constexpr int id_reads = Format::scale_bytes > 0 ? 2 : 1;
  FMHA950_INLINE void read_ids(int tile) {
    const uint32_t list = lds_address(lds_) + ids(tile);
    read_lds_word(id_, list + lane_id() * 4);
    if constexpr (Format::scale_bytes > 0)
      read_lds_word(scale_id_, list + PartScales::row_of(lane_id()) * Part::strip_chunks * 4);
  }

  // Starts to copy the wave's strips of `tile`, whose ids read_ids() reads, to the place at `destination`.
  // `YOUNGER_READS` of LDS are in flight behind those.
  template <int YOUNGER_READS> FMHA950_INLINE void stage(int tile, uint32_t destination) {
    pin_pointers(pool_);
    pin_pointers(chunk_);
    wait_lds<YOUNGER_READS>("ids_read");
    pin(id_);
    const bool pool = in_pool(tile, Part::row_of(lane_id()));
    const uint32_t chunk = Part::chunk_of(lane_id()) * 16;
    const uint8_t* nope = row_address(pool ? pool_.nope : chunk_.nope, id_, Format::nope_row_bytes) + chunk;
    const LdsBytes part = lds_ + destination + part_ * Lds::part_bytes;
    constexpr int first_strips = 5;
    if (first_) {
      unrolled<first_strips>([&](auto strip) { stage_nope<strip>(nope, part); });
    } else {
      unrolled<int(Format::nope_strips) - first_strips>(
          [&](auto strip) { stage_nope<strip + first_strips>(nope, part); });
      const uint8_t* rope = row_address(pool ? pool_.rope : chunk_.rope, id_, rope_columns * 2) + chunk;
      load_to_lds<16>(rope, part + Lds::rope);
      constexpr int next = Part::strip_chunks * 16; // bytes of a row further on
      load_to_lds<16, next>(rope, part + Lds::rope + Part::strip_bytes - next);
    }
    if constexpr (Format::scale_bytes > 0) {
      pin(scale_id_);
      stage_scales(scale_id_, in_pool(tile, PartScales::row_of(lane_id())), part);
    }
  }

 private:
  static FMHA950_INLINE void pin_pointers(Rows& rows) {
    pin_scalar(rows.nope);
    pin_scalar(rows.rope);
    if constexpr (Format::scale_bytes > 0) pin_scalar(rows.scale);
  }

  template <int STRIP> FMHA950_INLINE void stage_nope(const uint8_t* source, LdsBytes part) const {
    constexpr int next = STRIP * Part::strip_chunks * 16;
    load_to_lds<16, next>(source, part + STRIP * Part::strip_bytes - next);
  }

  // Four scale blocks; the eighth, which does not exist, gets the seventh's.
  FMHA950_INLINE void stage_scales(uint32_t id, bool pool, LdsBytes part) const {
    const uint32_t block = minimum(first_block() + PartScales::block_of(lane_id()), Format::scale_blocks - 1);
    const auto* scales = reinterpret_cast<const uint8_t*>(pool ? pool_.scale : chunk_.scale);
    load_to_lds<4>(row_address(scales, id, Format::scale_blocks * 4) + block * 4,
                   part + Lds::scales + PartScales::of_block(first_block()));
  }
  FMHA950_INLINE uint32_t first_block() const { return first_ ? 0 : PartScales::load_blocks; }

  // The position in the lists of a row of the wave's part.
  FMHA950_INLINE int position(int tile, uint32_t row) const {
    return list_.clamped(tile * keys_per_tile + static_cast<int>(part_ * Part::rows + row));
  }
  FMHA950_INLINE bool in_pool(int tile, uint32_t row) const {
    return list_.in_pool(position(tile, row)) || !protection("chunk_rows");
  }
  FMHA950_INLINE uint32_t ids(int tile) const {
    return Lds::lists + (2 * wave_ + (tile & 1)) * Lds::list_bytes;
  }

  Rows pool_, chunk_;
  TokenList list_;
  LdsBytes lds_;
  uint32_t id_, scale_id_; // of the rows that the lane brings columns and scales of
  uint32_t wave_ = wave_id();
  uint32_t part_ = wave_ % parts;
  bool first_ = wave_ / parts == 0;
};

} // namespace fmha950::fused::sparse
