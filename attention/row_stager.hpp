#pragma once
// Brings the rows of a tile from their pages to LDS, every wave its share, with 64-bit addresses per lane:
// any page size and any size of the pool are one path. Keys past the end re-read the last one: the counts of
// vector memory operations stay true to the end, and nothing outside of the request's keys is ever looked up.

#include "attention/page_lookup.hpp"
#include "attention/tile_layout.hpp"
#include "attention/work_item.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "gfx950/wide_offset.hpp"

namespace fmha950::attention {

// Where the rows of one head lie in a page, in bytes.
struct RowsOfPage {
  uint32_t begin;
  uint32_t row_stride;   // between keys
  uint32_t chunk_stride; // between chunks of 16 bytes of a key's row
};

// Tile: how a tile lies in LDS (tile_layout.hpp). Vectorized: the pools' layout. Keyed: lane l also keeps the
// page of the tile's key l. Without it, a lane only keeps the pages of the rows that it brings. Pages: page_of_key.hpp. Shared: K
// and V have one stager, which stages twice what it has resolved.
template <class Tile, int Waves, bool Keyed, bool Vectorized, class Pages = PagesByShift, bool Shared = true>
class RowStager {
 public:
  static constexpr int strips = Tile::strips / Waves; // vector memory operations of stage()
  static constexpr int lookup = 1;                    // and of look_up()

  FMHA950_INLINE RowStager(const int32_t* table, Pages of_key, const WorkItem& item, RowsOfPage rows,
                           LdsBytes lds, uint32_t page_lists)
      : lds_(lds), rows_(rows), of_key_(of_key), last_key_(item.key_length - 1),
        pages_(table + item.table_begin, of_key,
               MaxPageTableIndex{of_key.page(static_cast<uint32_t>(item.key_length - 1))},
               lds + page_lists + wave_id() * (Tile::rows * 4)) {}

  FMHA950_INLINE void look_up(int tile) { pages_.start(tile); }

  // Turns the pages of `tile`, whose look-up the caller has waited for, into places in the pools.
  FMHA950_INLINE void resolve(int tile) {
    start_resolve(tile);
    finish_resolve<0>();
  }
  // The same in two: between them the caller may start `Younger` LDS operations of its own.
  FMHA950_INLINE void start_resolve(int tile) {
    uint32_t pinned = 0;
    if constexpr (!Shared) {
      pinned = lane_id();
      pin(pinned); // or clang works all of this out before the loop, and runs out of registers
    }
    const auto lane = [&] { return Shared ? lane_id() : pinned; };
    unrolled<strips>([&](auto strip) {
      const uint32_t slot = slot_of(tile, row_of(strip, lane()));
      const uint32_t chunk = Tile::chunk_of(strip, lane());
      place_[strip] = WideOffset(rows_.begin + chunk * rows_.chunk_stride).plus(slot, rows_.row_stride);
    });
    unrolled<strips>([&](auto strip) { pages_.read(page_[strip], row_of(strip, lane())); });
    if constexpr (Keyed) pages_.read(page_of_key_, lane_id());
  }
  template <int Younger> FMHA950_INLINE void finish_resolve() {
    wait_lds<Younger>("pages_read");
    take_resolved();
  }
  // Without the wait, which another stager of the same list has done.
  FMHA950_INLINE void take_resolved() {
    pin(page_);
    unrolled<strips>([&](auto strip) { page_number_[strip] = page_[strip]; });
    if constexpr (Shared) pin(page_number_); // converted once for K and V
    if constexpr (Keyed) pin(page_of_key_);
  }

  // Starts to copy the wave's rows of the tile that was resolved last.
  FMHA950_INLINE void stage(const void* pool, uint32_t page_stride, uint32_t tile_begin) {
    constexpr bool whole = protection(Vectorized ? "page_base_vectorized" : "page_base_linear");
    unrolled<strips>([&](auto strip) {
      const WideOffset offset = whole ? place_[strip].plus(page_number_[strip], page_stride)
                                      : place_[strip].plus(page_[strip] * page_stride, 1);
      copy_strip<strips>(offset.from(pool), tile_begin, strip);
    });
  }

  // One strip of the wave's, which has `OfWave` of the tile. 64 bits for the page's begin: pools may exceed 4 GiB.
  template <int OfWave>
  FMHA950_INLINE void stage_strip(const void* pool, uint64_t page_begin, uint32_t place, uint32_t tile_begin,
                                  uint32_t strip) {
    constexpr bool whole = protection(Vectorized ? "page_base_vectorized" : "page_base_linear");
    const uint64_t offset = (whole ? page_begin : static_cast<uint32_t>(page_begin)) + place;
    copy_strip<OfWave>(static_cast<const char*>(pool) + offset, tile_begin, strip);
  }

  // Within its page.
  FMHA950_INLINE uint32_t slot_of(int tile, uint32_t key_of_tile) const {
    const int key = tile * static_cast<int>(Tile::rows) + static_cast<int>(key_of_tile);
    // The unused slots of the last page may hold NaN, and P = 0 does not make 0 of them.
    constexpr bool bounded = Vectorized || protection("unused_slots_linear");
    const int last = last_key_ + (Vectorized ? 0 : off_by_one("unused_slots_exact_linear"));
    return of_key_.slot(static_cast<uint32_t>(bounded ? minimum(key, last) : key));
  }

  FMHA950_INLINE uint32_t page_of_key() const { return page_of_key_; } // of key l of the tile for lane l

 private:
  template <int OfWave>
  FMHA950_INLINE void copy_strip(const char* source, uint32_t tile_begin, uint32_t strip) {
    const uint32_t number = wave_ * OfWave + strip;
    load_to_lds<16>(source, lds_ + tile_begin + number * Tile::strip_bytes);
  }

  // The row of the tile that this lane fetches a chunk of.
  FMHA950_INLINE uint32_t row_of(uint32_t strip, uint32_t lane) const {
    return wave_ * (Tile::rows / Waves) + Tile::row_of(strip, lane);
  }

  LdsBytes lds_;
  RowsOfPage rows_;
  Pages of_key_;
  int last_key_;
  PageLookup<Vectorized, Pages> pages_;
  uint32_t wave_ = wave_id();
  // For the tile that was resolved last and each strip: the page of the row that the lane fetches, and the
  // place of its chunk in that page.
  uint32_t page_[strips];
  double page_number_[strips];
  WideOffset place_[strips];
  uint32_t page_of_key_;
};

} // namespace fmha950::attention
