#pragma once
// Brings the rows of a token's tiles to LDS, every wave its share, double-buffered. In issue order a wave's
// vector memory operations are always
//   ..., rows of t, ids of t + 2, rows of t + 1, ids of t + 3, ...
// so every wait is a constant count of younger ones: rows never wait for their ids, which were looked up two
// tiles before.

#include "gfx950/lds_dma.hpp"
#include "impl_prepass/sparse/row_tile.hpp"
#include "impl_prepass/sparse/token_rows.hpp"

namespace fmha950::prepass::sparse {

template <class Tile, int Waves> class RowStager {
 public:
  static constexpr uint32_t buffer(int tile) { return (tile & 1) * Tile::bytes; }
  static constexpr uint32_t bytes = 2 * Tile::bytes + Waves * TokenRows<1>::list_bytes;

  FMHA950_INLINE RowStager(const AttentionArguments& arguments, uint32_t token, LdsBytes lds)
      : token_(arguments, token, lds + 2 * Tile::bytes + wave_ * TokenRows<1>::list_bytes), lds_(lds) {
    // The wave's first row is a multiple of Rows: a later one only adds bits.
    chunk_offset_ = Tile::chunk_of(wave_ * rows, lane_id()) * 16;
  }

  FMHA950_INLINE int keys() const { return token_.length(); }
  FMHA950_INLINE int tiles() const { return (keys() + static_cast<int>(Tile::rows) - 1) / Tile::rows; }

  FMHA950_INLINE void fill_pipeline() {
    look_up(0);
    wait_vector_memory<0>("first_ids_arrived");
    resolve(0);
    look_up(1);
    stage(0);
    wait_vector_memory<rows>("second_ids_arrived");
    resolve(1);
    look_up(2);
  }

  // Until the workgroup's rows of `tile` are in LDS. The barrier also says that all waves are done with the
  // tile before, whose place the next one takes.
  FMHA950_INLINE void begin_tile(int tile) {
    wait_vector_memory<1>("rows_arrived");
    barrier("rows_barrier");
    stage(tile + 1);
  }

  // Once per tile, after begin_tile(): turns to the ids of tile + 2.
  FMHA950_INLINE void look_ahead(int tile) {
    wait_vector_memory<rows>("ids_arrived");
    resolve(tile + 2);
    look_up(tile + 3);
  }

 private:
  static constexpr int rows = Tile::rows / Waves; // vector memory operations of stage()

  FMHA950_INLINE int first_of(int tile) const { return tile * static_cast<int>(Tile::rows) + wave_ * rows; }
  FMHA950_INLINE void look_up(int tile) { token_.look_up(first_of(tile)); }
  FMHA950_INLINE void resolve(int tile) { token_.resolve(first_of(tile)); }

  FMHA950_INLINE void stage(int tile) {
    uint32_t chunk_offset = chunk_offset_;
    pin(chunk_offset); // or every row's offset is kept in a register of its own
    unrolled<rows>([&](auto i) {
      const uint32_t offset = chunk_offset ^ Tile::flip(Tile::swizzle(i));
      load_to_lds<16>(token_.row(i) + offset, lds_ + buffer(tile) + (wave_ * rows + i) * Tile::row_bytes);
    });
  }

  int wave_ = static_cast<int>(wave_id());
  TokenRows<rows> token_;
  LdsBytes lds_;
  uint32_t chunk_offset_;
};

} // namespace fmha950::prepass::sparse
