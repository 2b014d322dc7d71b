#pragma once
// Where the rows of a key tile lie in memory: the paging of the kernel, one class for each way. A wave brings
// eight rows of a tile; a lane 16 bytes of one of them.
//
// All ways have the same steps. prepare(tile) computes what needs no page id, where the caller has time for
// it; look_up() starts to load that tile's page ids. resolve(), after the caller's wait for them, makes
// addresses of the tile prepared before the last; the addresses of the tile before it are kept, because V
// follows K by one tile. load_k() copies the tile resolved last, load_v() the one before it.
//
// Nothing branches on account of paging. Tiles and rows past the end are clamped: the table is read at
// min(index, max_page_table_idx) where a tile has one page, at the page of min(token, last token), which is
// no larger, where it has many. A class makes its bound of the work item itself: no caller can forget it.
// The unused slots of a last page may hold NaN, which P = 0 does not make 0: they are clamped away too, or
// lie outside of the buffer, and LDS gets zeros (machine_gfx950.md section 3.2).

#include "gfx950/global.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"
#include "impl_pipelined/kernel_arguments.hpp"
#include "impl_pipelined/kv_tile.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

// Vector memory operations of load_k(), and of load_v(): a wave copies one strip of a tile.
constexpr int transfer = KvTile::rows / KvTile::strip_rows * wave_lanes / prefill_threads;
static_assert(transfer == 1);

// The place of a lane's 16 bytes within a tile.
struct LaneInTile {
  uint32_t wave = wave_id();
  uint32_t row = KvTile::row_of(wave, lane_id());
  uint32_t chunk_bytes = KvTile::chunk_of(wave, lane_id()) * 16;
};

// Tells the compiler that the value has 24 bits:
// a product of 32 bits takes four times as long (v_mul_lo_u32, v_mul_u32_u24).
FMHA950_INLINE uint32_t in_24_bits(uint32_t value) { return value & 0xFFFFFF; }

// Bytes from the first to the end of the last of `rows` rows that lie `stride` apart.
FMHA950_INLINE uint32_t extent(uint32_t rows, uint32_t stride) { return (rows - 1) * stride + head_dim; }

// Pages of at least a tile: a tile lies in one page, whose place is the base of the buffer, in 64 bits.
class PageRebased {
 public:
  static constexpr int lookups = 1; // vector memory operations of look_up()

  FMHA950_INLINE PageRebased(const PrefillArguments& arguments, const attention::WorkItem& item)
      : arguments_(arguments), table_(arguments.table + item.table_begin),
        max_page_table_idx_((item.key_length - 1) >> arguments.page_shift), key_length_(item.key_length),
        head_bytes_(static_cast<uint32_t>(item.kv_head) * head_dim),
        in_tile_(lane_.row * arguments.row_stride + lane_.chunk_bytes) {}

  FMHA950_INLINE void prepare(int tile) {
    in_page_ = next_in_page_;
    index_ = page_index(tile);
    const uint32_t first_key = index_ << arguments_.page_shift;
    const uint32_t page_size = 1u << arguments_.page_shift;
    const uint32_t used = static_cast<uint32_t>(key_length_) - first_key;
    const uint32_t rows = protection("unused_slots") ? minimum(used, page_size) : page_size;
    next_in_page_.bytes = extent(rows, arguments_.row_stride);
    next_in_page_.offset = (tile * keys_per_tile - first_key) * arguments_.row_stride + in_tile_;
    pin(next_in_page_.offset);
  }

  FMHA950_INLINE void look_up() { load_global(page_, table_, index_ * 4); }

  FMHA950_INLINE void resolve() {
    before_ = place_;
    page_id_ = __builtin_amdgcn_readfirstlane(page_);
    place_.base = page_id_ * arguments_.page_stride + head_bytes_;
    if constexpr (!protection("rebase_64_bits"))
      place_.base =
          static_cast<uint32_t>(page_id_ * static_cast<uint32_t>(arguments_.page_stride)) + head_bytes_;
    place_.in_page = {static_cast<uint32_t>(__builtin_amdgcn_readfirstlane(in_page_.bytes)), in_page_.offset};
  }

  FMHA950_INLINE uint32_t page() const { return page_id_; } // of the tile resolved last
  FMHA950_INLINE void looked_up() { pin(page_); }

  FMHA950_INLINE void load_k(LdsBytes tile) const { load(arguments_.k_pool, place_, tile); }
  FMHA950_INLINE void load_v(LdsBytes tile) const {
    load(arguments_.v_pool, either(before_, place_, "v_behind_k"), tile);
  }

 private:
  struct InPage {
    uint32_t bytes; // that may be read from the page's first row of this head on
    uint32_t offset;
  };
  struct Place {
    uint64_t base; // of the page's rows of this head, from the pool
    InPage in_page;
  };

  FMHA950_INLINE uint32_t page_index(int tile) const {
    const int index = tile * keys_per_tile >> arguments_.page_shift;
    return minimum(index, max_page_table_idx_ + off_by_one("page_clamp_exact"), "page_clamp_rebased");
  }

  FMHA950_INLINE void load(const uint8_t* pool, const Place& place, LdsBytes tile) const {
    load_to_lds<16>(raw_buffer(pool + place.base, place.in_page.bytes), place.in_page.offset,
                    tile + lane_.wave * KvTile::strip_bytes);
  }

  const PrefillArguments& arguments_;
  const int32_t* table_;
  int max_page_table_idx_, key_length_;
  uint32_t head_bytes_;
  LaneInTile lane_;
  uint32_t in_tile_;
  uint32_t index_ = 0, page_, page_id_ = 0;
  InPage in_page_ = {}, next_in_page_ = {};
  Place place_ = {}, before_ = {};
};

// Any pages: every lane has one of its own.
// Offset: uint32_t where the pool ends within 4 GiB, and a page's number and size have 24 bits; else uint64_t.
template <class Offset> class PageScattered {
 public:
  static constexpr int lookups = 1;

  FMHA950_INLINE PageScattered(const PrefillArguments& arguments, const attention::WorkItem& item)
      : arguments_(arguments), table_(arguments.table + item.table_begin), last_key_(item.key_length - 1),
        in_row_(static_cast<uint32_t>(item.kv_head) * head_dim + lane_.chunk_bytes) {}

  FMHA950_INLINE void prepare(int tile) {
    in_page_ = next_in_page_;
    const uint32_t token = clamped_token(tile);
    const uint32_t slot = token & in_24_bits(low_bits(arguments_.page_shift));
    entry_ = (token >> arguments_.page_shift) * 4;
    next_in_page_ = slot * in_24_bits(arguments_.row_stride) + in_row_;
    pin(entry_);
    pin(next_in_page_);
  }

  FMHA950_INLINE void look_up() { load_global(page_, table_, entry_); }

  FMHA950_INLINE void resolve() {
    before_ = offset_;
    page_id_ = __builtin_amdgcn_readfirstlane(page_);
    if constexpr (sizeof(Offset) == 4)
      offset_ = in_24_bits(page_) * in_24_bits(static_cast<uint32_t>(arguments_.page_stride)) + in_page_;
    else
      offset_ = static_cast<Offset>(page_) * static_cast<Offset>(arguments_.page_stride) + in_page_;
    if constexpr (!protection("scatter_64_bits")) offset_ = static_cast<uint32_t>(offset_);
  }

  // Of the tile resolved last, where pages have at least its keys.
  FMHA950_INLINE uint32_t page() const { return page_id_; }
  FMHA950_INLINE void looked_up() { pin(page_); }

  FMHA950_INLINE void load_k(LdsBytes tile) const { load(arguments_.k_pool, offset_, tile); }
  FMHA950_INLINE void load_v(LdsBytes tile) const {
    load(arguments_.v_pool, either(before_, offset_, "v_behind_k"), tile);
  }

 private:
  // The last token's page has the last index: the clamp of the token is that of the page, too.
  FMHA950_INLINE uint32_t clamped_token(int tile) const {
    const int token = tile * keys_per_tile + static_cast<int>(lane_.row);
    const int last_slot = last_key_ | static_cast<int>(low_bits(arguments_.page_shift));
    const int last = either(last_key_ + off_by_one("token_clamp_exact"), last_slot, "token_clamp");
    return minimum(token, last, "page_clamp_scattered");
  }

  FMHA950_INLINE void load(const uint8_t* pool, Offset offset, LdsBytes tile) const {
    const LdsBytes strip = tile + lane_.wave * KvTile::strip_bytes;
    if constexpr (sizeof(Offset) == 4)
      load_to_lds<16>(raw_buffer(pool, static_cast<uint32_t>(arguments_.pool_bytes)), offset, strip);
    else
      load_to_lds<16>(pool + offset, strip);
  }

  const PrefillArguments& arguments_;
  const int32_t* table_;
  int last_key_;
  LaneInTile lane_;
  uint32_t in_row_;
  uint32_t entry_ = 0, in_page_ = 0, next_in_page_ = 0;
  uint32_t page_, page_id_ = 0;
  Offset offset_ = 0, before_ = 0;
};

// No pages: the request's keys lie in a row, from page table_begin of the pool on.
class Contiguous {
 public:
  static constexpr int lookups = 0;

  FMHA950_INLINE Contiguous(const PrefillArguments& arguments, const attention::WorkItem& item)
      : arguments_(arguments), begin_(static_cast<uint32_t>(item.table_begin) * arguments.page_stride +
                                      static_cast<uint32_t>(item.kv_head) * head_dim),
        bytes_(protection("contiguous_bound") ? extent(item.key_length, arguments.row_stride) : UINT32_MAX),
        first_(lane_.row * arguments.row_stride + lane_.chunk_bytes) {}

  FMHA950_INLINE void prepare(int tile) { prepared_ = tile; }
  FMHA950_INLINE void look_up() {}
  FMHA950_INLINE void resolve() { tile_ = prepared_ - 1; }
  FMHA950_INLINE void looked_up() {}
  FMHA950_INLINE void load_k(LdsBytes tile) const { load(arguments_.k_pool, tile_, tile); }
  FMHA950_INLINE void load_v(LdsBytes tile) const {
    load(arguments_.v_pool, either(tile_ - 1, tile_, "v_behind_k"), tile);
  }

 private:
  FMHA950_INLINE void load(const uint8_t* pool, int index, LdsBytes tile) const {
    load_to_lds<16>(raw_buffer(pool + begin_, bytes_),
                    static_cast<uint32_t>(index) * (keys_per_tile * arguments_.row_stride) + first_,
                    tile + lane_.wave * KvTile::strip_bytes);
  }

  const PrefillArguments& arguments_;
  LaneInTile lane_;
  uint64_t begin_;
  uint32_t bytes_, first_;
  int prepared_ = 0, tile_ = 0;
};

} // namespace fmha950::pipelined
