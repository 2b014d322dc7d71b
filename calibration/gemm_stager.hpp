#pragma once
// Brings A and B from memory to LDS, a half of 128 rows at a time. Every wave copies its share of each half,
// so that its vector memory operations in flight are a count of halves.

#include "calibration/gemm_tile.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

using namespace gfx950;

template <int WAVES> class GemmStager {
 public:
  static constexpr int pieces = HalfTile::strips / WAVES; // DMA instructions of one half

  // Stages the tile whose rows begin at `a` and `b`.
  FMHA950_INLINE GemmStager(const void* a, const void* b, uint32_t row_bytes, LdsBytes lds)
      : sources_{raw_buffer(a, tile_edge * row_bytes), raw_buffer(b, tile_edge * row_bytes)},
        row_bytes_(row_bytes), lds_(lds + wave_id() * HalfTile::strip_bytes) {
    static_assert(WAVES % 2 == 0, "a lane's chunk is the same in all of its wave's strips");
    offset_ =
        HalfTile::row_of(wave_id(), lane_id()) * row_bytes + HalfTile::chunk_of(wave_id(), lane_id()) * 16;
  }

  template <Operand OPERAND, int HALF, int PIECE> FMHA950_INLINE void stage_piece(uint32_t step) {
    constexpr uint32_t strip = PIECE * WAVES; // beyond the wave's first
    load_to_lds<16>(sources_[OPERAND], offset_,
                    lds_ + step % 2 * LdsLayout::parity +
                        (LdsLayout::half_tile(OPERAND, HALF) + strip * HalfTile::strip_bytes),
                    (HALF * HalfTile::rows + strip * HalfTile::strip_rows) * row_bytes_ + step * step_bytes);
  }
  template <Operand OPERAND, int HALF> FMHA950_INLINE void stage(uint32_t step) {
    unrolled<pieces>([&](auto piece) { stage_piece<OPERAND, HALF, piece>(step); });
  }

  // Until at most so many halves are in flight, for which the wave copies its share.
  template <int HALVES> static FMHA950_INLINE void wait() {
    constexpr int operations = HALVES < 0 ? 0 : HALVES * pieces;
    wait_vector_memory<operations>();
  }

 private:
  BufferResource sources_[2];
  uint32_t row_bytes_;
  LdsBytes lds_;
  uint32_t offset_; // of what this lane copies of the first half at step 0
};

} // namespace fmha950::calibration
