#pragma once
// Brings K and V tiles to LDS as the products of 16-bit elements read them (attention/tile_layout.hpp): old
// keys from the cache, dequantised on the way through the registers, the chunk's own as they are. In the tile
// where the chunk begins every row decides for itself. Each wave has 16 rows of a tile, four lanes to a row.
//
// Loads and their waits are clang's, which counts them; a tile's loads are in flight until it is written.

#include "gfx950/lds.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/append/old_pages.hpp"
#include "impl_baseline/append/quantise.hpp"
#include "impl_baseline/append/rotation.hpp"

namespace fmha950::baseline::append {

// The rows of a tile. old: all are old. any: some may be the chunk's; each lane decides for its own row.
enum class Rows { old, any };

// Rotary: the chunk's keys are rotated on the way, as those in the cache have been.
template <class Variant, class Order, bool Rotary> class TileStager {
 public:
  using Element = typename Variant::Element;
  using Tile = typename Variant::Tile;

  FMHA950_INLINE TileStager(const AppendArguments& arguments, const attention::WorkItem& item,
                            const Order& order)
      : arguments_(arguments), item_(item), order_(order),
        old_length_(old_length(item) - off_by_one("old_length")),
        pages_(CacheRows(arguments, item, static_cast<uint32_t>(item.kv_head)), order, old_length_, wave_row_,
               lane_row_) {}

  // Steps whose tiles are old as a whole end here.
  FMHA950_INLINE int end_of_old_steps() const { return steps_below(order_, old_length_ / keys_per_tile); }

  // The step whose tile the next loads are of. Steps come one after the other.
  // Keys past the end re-read the last one.
  template <Rows Of> FMHA950_INLINE void locate(int step) {
    const int tile = order_.tile(step);
    const uint64_t in_cache = pages_.place(step) + lane_piece_ * 16;
    place_ = in_cache;
    is_old_ = true;
    if constexpr (Of == Rows::old) return;
    const int key = tile * keys_per_tile + lane_row_;
    const int first_new = protection("chunk_unquantised") ? old_length_ : item_.key_length;
    is_old_ = (protection("boundary_by_row") ? key : tile * keys_per_tile) < first_new;
    const int last = item_.query_length - (protection("chunk_end") ? 1 : 0);
    const int token = maximum(minimum(key - old_length_, last), 0);
    const uint64_t in_chunk = chunk_place(arguments_.attention, item_, Variant::row_bytes, token);
    place_ = is_old_ ? in_cache : in_chunk + lane_piece_ * 32;
    if constexpr (Rotary)
      position_ = position_of(arguments_.rotary, static_cast<uint32_t>(item_.query_begin + token));
  }

  // The page look-up for a step that is located next: behind the loads of the one before, whose wait would be
  // for both.
  FMHA950_INLINE void look_ahead(int step) { pages_.look_ahead(step); }

  template <Rows Of> FMHA950_INLINE void load_k() { load<Of>(arguments_.k_cache, arguments_.k_new); }
  template <Rows Of> FMHA950_INLINE void load_v() { load<Of>(arguments_.v_cache, arguments_.v_new); }
  // The row of K that has been loaded, if it is the chunk's.
  template <Rows Of> FMHA950_INLINE void rotate_k() {
    if constexpr (!Rotary || Of == Rows::old || !protection("rope_keys")) return;
    if (is_old_ && protection("rope_old")) return;
    uint32_t lane_piece = lane_piece_;
    pin(lane_piece); // clang would keep what follows from it in registers, for all units, all through the loop
    const Rotation<Element> rotation(arguments_.rotary, position_);
    const char* const row = static_cast<const char*>(arguments_.k_new) + place_ - lane_piece * 32;
    unrolled<pieces>([&](auto p) {
      unrolled<2>([&](auto w) {
        pieces_[p].words[w] =
            rotation.rotate(pieces_[p].words[w], row, lane_piece * 16 + p * lanes_of_row * 16 + w * 8);
      });
    });
  }
  template <Rows Of> FMHA950_INLINE void write_k(uint32_t tile_begin) {
    write<Of>(tile_begin, arguments_.k_scale);
  }
  template <Rows Of> FMHA950_INLINE void write_v(uint32_t tile_begin) {
    write<Of>(tile_begin, arguments_.v_scale);
  }

 private:
  static constexpr int pieces = Variant::head_dim / 64; // of 16 values, of the lane's row
  static constexpr int lanes_of_row = 4;

  template <Rows Of> FMHA950_INLINE void load(const void* cache, const void* chunk) {
    if (Of == Rows::old || is_old_) {
      const char* row = static_cast<const char*>(cache) + place_;
      unrolled<pieces>([&](auto p) {
        pieces_[p].words[0] = *reinterpret_cast<const Word4*>(row + p * lanes_of_row * 16);
      });
    } else {
      const char* row = static_cast<const char*>(chunk) + place_;
      unrolled<pieces>([&](auto p) {
        unrolled<2>([&](auto w) {
          pieces_[p].words[w] = *reinterpret_cast<const Word4*>(row + p * lanes_of_row * 32 + w * 16);
        });
      });
    }
  }

  template <Rows Of> FMHA950_INLINE void write(uint32_t tile_begin, float scale) {
    if (Of == Rows::old || is_old_)
      unrolled<pieces>([&](auto p) { pieces_[p] = dequantise<Element>(pieces_[p].words[0], scale); });
    const uint32_t row = tile_begin + Tile::place(lane_row_, 2 * lane_piece_);
    unrolled<pieces>([&](auto p) {
      unrolled<2>(
          [&](auto w) { write_lds<0>(row ^ Tile::flip(0, 2 * lanes_of_row * p + w), pieces_[p].words[w]); });
    });
  }

  const AppendArguments& arguments_;
  const attention::WorkItem& item_;
  Order order_;
  int old_length_;
  // Rows 8 apart in neighbouring quads of lanes: their chunks, which are even or odd alike, then lie in 8
  // different quads of banks.
  int wave_row_ = static_cast<int>(wave_id()) * 16;
  int lane_row_ = wave_row_ + static_cast<int>(lane_id() / 4 % 2 * 8 + lane_id() / 8);
  uint32_t lane_piece_ = lane_id() % lanes_of_row;
  OldPages<Order> pages_;
  bool is_old_;
  uint64_t place_;       // in the cache or the chunk, of K as of V
  int32_t position_ = 0; // of the chunk's row, where it is rotated
  ChunkPiece pieces_[pieces];
};

} // namespace fmha950::baseline::append
