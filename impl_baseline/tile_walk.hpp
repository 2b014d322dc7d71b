#pragma once
// The order in which a workgroup goes through its key tiles. Sink tokens stay visible beside a sliding
// window: the tiles before the window's that hold sinks come first, then the window's. What lies between is
// skipped. The kernel counts steps; which of two buffers a tile has goes by them. In the window phase a step
// is its tile's number, and the sink phase's steps end where that begins:
//   step   first_tile - sink_tiles, ..., first_tile - 1 | first_tile, ..., end_tile - 1
//   tile                       0, ..., sink_tiles - 1   | first_tile, ..., end_tile - 1
// Every query of the workgroup sees all sinks of the sink phase: they lie before its window.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

using namespace gfx950;

class TileWalk {
 public:
  FMHA950_INLINE TileWalk(const AttentionArguments& arguments, const attention::WorkItem& item)
      : first_tile_(item.first_tile + off_by_one("window_start_aligned_down")), end_tile_(item.end_tile),
        sink_tiles_(tiles_before_window(arguments.sink_tokens)) {}

  FMHA950_INLINE int begin() const { return first_tile_ - sink_tiles_; }
  FMHA950_INLINE int sink_tiles() const { return sink_tiles_; } // of the sink phase
  FMHA950_INLINE int end() const { return end_tile_; }
  FMHA950_INLINE int tile(int step) const { return step >= first_tile_ ? step : step - begin(); }
  // What a walk computes that misses the jump and goes on behind the sinks.
  FMHA950_INLINE int tile_without_jump(int step) const { return sink_tiles_ > 0 ? step - begin() : step; }

  // The tile that follows `tile`, also past the end, where it is looked ahead to.
  FMHA950_INLINE int after(int tile) const {
    const int last_sinks = sink_tiles_ - (protection("sink_jump_exact") || sink_tiles_ == 0 ? 1 : 0);
    return tile == last_sinks ? first_tile_ : tile + 1;
  }

 private:
  // The tiles of the sink phase: those that hold sinks and are not the window's.
  FMHA950_INLINE int tiles_before_window(int sink_tokens) const {
    constexpr int part = protection("sink_end_aligned_up") ? keys_per_tile - 1 : 0;
    const int tiles = (sink_tokens + part) / keys_per_tile;
    return minimum(tiles, first_tile_, "sinks_meet_window");
  }

  int first_tile_, end_tile_, sink_tiles_;
};

} // namespace fmha950::baseline
