#pragma once
// Pages of the old keys of a wave's rows in each tile. Where a page holds whole tiles or a tile whole pages,
// of 16 keys and more, the 16 rows of a wave are in one page: every lane looks up that of another tile, 64
// tiles at once. Otherwise every lane looks up the page of its own row.

#include "impl_baseline/append/cache_rows.hpp"

namespace fmha950::baseline::append {

class OldPages {
 public:
  FMHA950_INLINE OldPages(const CacheRows& cache, int old_length, int first_tile, int wave_row, int lane_row)
      : cache_(cache), old_length_(old_length), first_tile_(first_tile), wave_row_(wave_row),
        lane_row_(lane_row), one_page_(cache.page_shift() >= 4 || !protection("page_of_key")) {
    look_up(first_tile);
  }

  // The lane's row of the tile, as a place in bytes, if the row is an old key.
  FMHA950_INLINE uint64_t place(int tile) const {
    const int key = tile * keys_per_tile + lane_row_;
    if (!one_page_) return cache_.place(page_, key);
    const int page = __builtin_amdgcn_readlane(static_cast<int>(page_), (tile - first_tile_) % wave_lanes);
    return cache_.place(static_cast<uint32_t>(page), key);
  }

  // To be called when the tile before has its place: tiles come one after the other.
  FMHA950_INLINE void look_ahead(int tile) {
    const int ahead = tile - first_tile_;
    if (!one_page_ || (protection("next_pages") ? ahead % wave_lanes : ahead) == 0) look_up(tile);
  }

 private:
  // The chunk's pages are not looked up: behind the last tile the table may have ended.
  FMHA950_INLINE void look_up(int tile) {
    const int key = one_page_ ? (tile + static_cast<int>(lane_id())) * keys_per_tile + wave_row_
                              : tile * keys_per_tile + lane_row_;
    if (below(key, old_length_, "old_pages_only")) page_ = cache_.page_of(key);
  }

  CacheRows cache_;
  int old_length_, first_tile_, wave_row_, lane_row_;
  bool one_page_;
  uint32_t page_ = 0;
};

} // namespace fmha950::baseline::append
