#pragma once
// Pages of the old keys of a wave's rows in each tile. Where a page holds whole tiles or a tile whole pages,
// of 16 keys and more, the 16 rows of a wave are in one page: every lane looks up that of another step's tile,
// 64 steps at once. Otherwise every lane looks up the page of its own row.

#include "impl_baseline/append/cache_rows.hpp"
#include "impl_baseline/append/tile_order.hpp"

namespace fmha950::baseline::append {

template <class Order> class OldPages {
 public:
  FMHA950_INLINE OldPages(const CacheRows& cache, const Order& order, int old_length, int wave_row,
                          int lane_row)
      : cache_(cache), order_(order), old_length_(old_length), wave_row_(wave_row), lane_row_(lane_row),
        one_page_(cache.page_shift() >= 4 || !protection("page_of_key")) {
    look_up(order.begin());
  }

  // The lane's row of the step's tile, as a place in bytes, if the row is an old key.
  FMHA950_INLINE uint64_t place(int step) const {
    const int key = order_.tile(step) * keys_per_tile + lane_row_;
    if (!one_page_) return cache_.place(page_, key);
    const int page = __builtin_amdgcn_readlane(static_cast<int>(page_), (step - order_.begin()) % wave_lanes);
    return cache_.place(static_cast<uint32_t>(page), key);
  }

  // To be called when the step before has its place: steps come one after the other.
  FMHA950_INLINE void look_ahead(int step) {
    const int ahead = step - order_.begin();
    if (!one_page_ || (protection("next_pages") ? ahead % wave_lanes : ahead) == 0) look_up(step);
  }

 private:
  // The chunk's pages are not looked up: behind the last tile the table may have ended.
  FMHA950_INLINE void look_up(int step) {
    const int key = one_page_ ? order_.tile(step + static_cast<int>(lane_id())) * keys_per_tile + wave_row_
                              : order_.tile(step) * keys_per_tile + lane_row_;
    if (below(key, old_length_, "old_pages_only")) page_ = cache_.page_of(key);
  }

  CacheRows cache_;
  Order order_;
  int old_length_, wave_row_, lane_row_;
  bool one_page_;
  uint32_t page_ = 0;
};

} // namespace fmha950::baseline::append
