#pragma once
// row_stager.hpp where a tile lies in one page, as in pages of 64 and more that are a power of two: page and the tile's place in it
// are scalars, and a lane's row takes a minimum and a sum.

#include "attention/row_stager.hpp"

namespace fmha950::attention {

template <class Tile, int Waves> class PageRowStager {
 public:
  static constexpr int strips = Tile::strips / Waves; // vector memory operations of stage()
  static constexpr int lookup = 1;                    // and of look_up()

  FMHA950_INLINE PageRowStager(const int32_t* table, PagesByShift of_key, const WorkItem& item,
                               RowsOfPage rows, LdsBytes lds, uint32_t page_lists)
      : table_(table + item.table_begin), of_key_(of_key), row_stride_(rows.row_stride),
        last_key_(item.key_length - 1), lds_(lds), list_(lds + page_lists + wave_ * (Tile::rows * 4)) {
    unrolled<strips>([&](auto strip) {
      row_[strip] = (wave_ * (Tile::rows / Waves) + Tile::row_of(strip, lane_id())) * rows.row_stride;
      chunk_[strip] = rows.begin + Tile::chunk_of(strip, lane_id()) * rows.chunk_stride;
    });
  }

  // All lanes look up the same page.
  FMHA950_INLINE void look_up(int tile) {
    const uint32_t page = of_key_.page(static_cast<uint32_t>(tile) * Tile::rows);
    const uint32_t bound =
        of_key_.page(static_cast<uint32_t>(last_key_)) + off_by_one("page_clamp_exact_linear");
    load_to_lds<4>(table_ + minimum(page, bound, "page_clamp_linear"), list_);
  }

  FMHA950_INLINE void start_resolve(int tile) {
    constexpr int rows = static_cast<int>(Tile::rows);
    const int first_key =
        minimum(tile, last_key_ / rows) * rows; // past the end the last tile, whose page was looked up
    first_ = of_key_.slot(static_cast<uint32_t>(first_key)) * row_stride_;
    // The unused slots of the last page may hold NaN, and P = 0 does not make 0 of them.
    const int last = last_key_ - first_key + off_by_one("unused_slots_exact_linear");
    const uint32_t bound = static_cast<uint32_t>(minimum(last, rows - 1)) * row_stride_;
    unrolled<strips>([&](auto strip) {
      place_[strip] =
          (protection("unused_slots_linear") ? minimum(row_[strip], bound) : row_[strip]) + chunk_[strip];
    });
    read_lds_word(page_read_, lds_address(list_));
  }
  template <int Younger> FMHA950_INLINE void finish_resolve() {
    wait_lds<Younger>("pages_read");
    pin(page_read_);
    page_ = static_cast<uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(page_read_)));
  }

  // Starts to copy the wave's rows of the tile that was resolved last.
  FMHA950_INLINE void stage(const void* pool, uint32_t page_stride, uint32_t tile_begin) {
    const uint64_t page_begin =
        protection("page_base_linear") ? uint64_t(page_) * page_stride : page_ * page_stride;
    const char* const rows = static_cast<const char*>(pool) + page_begin + first_;
    unrolled<strips>([&](auto strip) {
      load_to_lds<16>(rows + place_[strip], lds_ + tile_begin + (wave_ * strips + strip) * Tile::strip_bytes);
    });
  }

  FMHA950_INLINE uint32_t page() const { return page_; } // of the tile that was resolved last

 private:
  const int32_t* table_;
  PagesByShift of_key_;
  uint32_t row_stride_;
  int last_key_;
  LdsBytes lds_;
  uint32_t wave_ = wave_id();
  LdsBytes list_;
  // Of each strip, in bytes: the lane's row from the tile's first on, and its chunk's place in a row of the page.
  uint32_t row_[strips], chunk_[strips];
  // Of the tile that was resolved last: its page, its first row's place in it, and the lane's from there on.
  uint32_t page_read_, page_, first_, place_[strips];
};

} // namespace fmha950::attention
