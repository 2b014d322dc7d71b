#pragma once
// Brings K and V tiles to LDS as the products of 16-bit elements read them (attention/tile_layout.hpp): old
// keys from the cache, dequantised on the way through the registers, the chunk's own as they are. In the tile
// where the chunk begins every row decides for itself. Each wave has 16 rows of a tile, four lanes to a row.
//
// Loads and their waits are clang's, which counts them; a tile's loads are in flight until it is written.

#include "gfx950/lds.hpp"
#include "gfx950/unroll.hpp"
#include "impl_baseline/append/old_pages.hpp"
#include "impl_baseline/append/quantise.hpp"

namespace fmha950::baseline::append {

template <class Variant> class TileStager {
 public:
  using Element = typename Variant::Element;
  using Tile = typename Variant::Tile;

  FMHA950_INLINE TileStager(const AppendArguments& arguments, const attention::WorkItem& item)
      : arguments_(arguments), item_(item),
        old_length_(old_length(item) - (protection("old_length") ? 0 : 1)),
        pages_(CacheRows(arguments, item, static_cast<uint32_t>(item.kv_head)), old_length_, item.first_tile,
               wave_row_, lane_row_) {}

  // The tile that the next loads are of. Tiles come one after the other. Keys past the end re-read the last
  // one.
  FMHA950_INLINE void locate(int tile) {
    const int key = tile * keys_per_tile + lane_row_;
    const int first_new = protection("chunk_unquantised") ? old_length_ : item_.key_length;
    is_old_ = (protection("boundary_by_row") ? key : tile * keys_per_tile) < first_new;
    const uint64_t in_cache = pages_.place(tile);
    const int last = item_.query_length - (protection("chunk_end") ? 1 : 0);
    const int token = maximum(minimum(key - old_length_, last), 0);
    const uint64_t in_chunk = chunk_place(arguments_.attention, item_, Variant::row_bytes, token);
    place_ = is_old_ ? in_cache + lane_piece_ * 16 : in_chunk + lane_piece_ * 32;
  }

  // The page look-up for a tile that is located next: behind the loads of the one before, whose wait would be
  // for both.
  FMHA950_INLINE void look_ahead(int tile) { pages_.look_ahead(tile); }

  FMHA950_INLINE void load_k() { load(arguments_.k_cache, arguments_.k_new); }
  FMHA950_INLINE void load_v() { load(arguments_.v_cache, arguments_.v_new); }
  FMHA950_INLINE void write_k(uint32_t tile_begin) { write(tile_begin, arguments_.k_scale); }
  FMHA950_INLINE void write_v(uint32_t tile_begin) { write(tile_begin, arguments_.v_scale); }

 private:
  static constexpr int pieces = Variant::head_dim / 64; // of 16 values, of the lane's row
  static constexpr int lanes_of_row = 4;

  FMHA950_INLINE void load(const void* cache, const void* chunk) {
    if (is_old_) {
      const char* row = static_cast<const char*>(cache) + place_;
      for (int p = 0; p < pieces; ++p)
        pieces_[p].words[0] = *reinterpret_cast<const Word4*>(row + p * lanes_of_row * 16);
    } else {
      const char* row = static_cast<const char*>(chunk) + place_;
      for (int p = 0; p < pieces; ++p)
        for (int w = 0; w < 2; ++w)
          pieces_[p].words[w] = *reinterpret_cast<const Word4*>(row + p * lanes_of_row * 32 + w * 16);
    }
  }

  FMHA950_INLINE void write(uint32_t tile_begin, float scale) {
    if (is_old_)
      for (auto& piece : pieces_) piece = dequantise<Element>(piece.words[0], scale);
    const uint32_t row = tile_begin + Tile::place(lane_row_, 2 * lane_piece_);
    unrolled<pieces>([&](auto p) {
      unrolled<2>(
          [&](auto w) { write_lds<0>(row ^ Tile::flip(0, 2 * lanes_of_row * p + w), pieces_[p].words[w]); });
    });
  }

  const AppendArguments& arguments_;
  const attention::WorkItem& item_;
  int old_length_;
  // Rows 8 apart in neighbouring quads of lanes: their chunks, which are even or odd alike, then lie in 8
  // different 16-byte groups of LDS.
  int wave_row_ = static_cast<int>(wave_id()) * 16;
  int lane_row_ = wave_row_ + static_cast<int>(lane_id() / 4 % 2 * 8 + lane_id() / 8);
  uint32_t lane_piece_ = lane_id() % lanes_of_row;
  OldPages pages_;
  bool is_old_;
  uint64_t place_; // in the cache or the chunk, of K as of V
  ChunkPiece pieces_[pieces];
};

} // namespace fmha950::baseline::append
