#pragma once
// Page ids of a tile's keys: lane l of every wave looks up key l, by one LDS DMA into the wave's own list in
// LDS. So nothing of a look-up is in registers while it is under way, which the compiler might move, and any
// lane can then ask for any key. Both kinds of table are one list of ids per request.

#include "attention/page_of_key.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"

namespace fmha950::attention {

using namespace gfx950;

// The last entry of a request's list that names a page: the bound of every look-up. Requests without keys
// have none.
struct MaxPageTableIndex {
  uint32_t value;
};

// A tile has a key per lane.
template <bool Vectorized, class Pages = PagesByShift> class PageLookup {
 public:
  FMHA950_INLINE PageLookup(const int32_t* table, Pages pages, MaxPageTableIndex max, LdsBytes list)
      : table_(table), pages_(pages), max_(max.value), list_(list) {}

  // Counts as one vector memory operation.
  FMHA950_INLINE void start(int tile) const {
    const uint32_t index = pages_.page(tile * wave_lanes + lane_id());
    const uint32_t bound =
        max_ + off_by_one(Vectorized ? "page_clamp_exact_vectorized" : "page_clamp_exact_linear");
    load_to_lds<4>(table_ + minimum(index, bound, Vectorized ? "page_clamp_vectorized" : "page_clamp_linear"),
                   list_);
  }

  // Starts to read the page of key `key` of the tile whose look-up the caller has waited for.
  FMHA950_INLINE void read(uint32_t& page, uint32_t key) const {
    read_lds_word(page, lds_address(list_) + key * 4);
  }

 private:
  const int32_t* table_;
  Pages pages_;
  uint32_t max_;
  LdsBytes list_;
};

} // namespace fmha950::attention
