#pragma once
// The order in which a workgroup goes through its key tiles. Sink tokens stay visible beside a sliding
// window: the tiles before the window's that hold sinks come first, then the window's. What lies between is
// skipped. The kernel counts steps, and buffers, parities and look-ahead go by them. In the window phase a
// step is its tile's number, and the sink phase's steps end where it begins:
//   step   jump, ..., first_tile - 1     | first_tile, ..., end_tile - 1
//   tile   0, ..., first_tile - 1 - jump | first_tile, ..., end_tile - 1
// Where sinks reach the window's tiles, or there are none, nothing is skipped or there is no sink phase.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

using namespace gfx950;

class TileWalk {
 public:
  FMHA950_INLINE TileWalk(const AttentionArguments& arguments, const attention::WorkItem& item)
      : first_tile_(item.first_tile + (protection("window_start_aligned_down") ? 0 : 1)),
        end_tile_(item.end_tile), jump_(first_tile_ - sink_tiles(arguments.sink_tokens)) {}

  FMHA950_INLINE int begin() const { return jump_; }
  FMHA950_INLINE int end() const { return end_tile_; }
  FMHA950_INLINE bool in_window(int step) const {
    return step >= first_tile_ + (protection("sink_jump_exact") ? 0 : 1);
  }
  // Also of the steps past the end that are looked ahead to.
  FMHA950_INLINE int tile(int step) const { return in_window(step) ? step : step - jump_; }

 private:
  // Of the sink phase: those that hold sinks and are not the window's.
  FMHA950_INLINE int sink_tiles(int sink_tokens) const {
    const int tiles =
        (sink_tokens + (protection("sink_end_aligned_up") ? keys_per_tile - 1 : 0)) / keys_per_tile;
    return protection("sinks_meet_window") ? minimum(tiles, first_tile_) : tiles;
  }

  int first_tile_, end_tile_, jump_;
};

} // namespace fmha950::baseline
