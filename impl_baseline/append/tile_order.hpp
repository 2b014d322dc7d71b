#pragma once
// In which order a workgroup of append_prefill goes through its key tiles: one after the other, or with a sliding
// window as tile_walk.hpp says. A step's tile is the step itself where there are no sinks before the window.

#include "impl_baseline/tile_walk.hpp"

namespace fmha950::baseline::append {

// Without a window.
class ConsecutiveTiles {
 public:
  FMHA950_INLINE ConsecutiveTiles(const AttentionArguments&, const attention::WorkItem& item)
      : begin_(item.first_tile), end_(item.end_tile) {}
  FMHA950_INLINE int begin() const { return begin_; }
  FMHA950_INLINE int end() const { return end_; }
  FMHA950_INLINE int tile(int step) const { return step; }

 private:
  int begin_, end_;
};

// The tiles of the steps [begin(), ...) that are below `tiles` end here: numbers of tiles only grow with the steps.
FMHA950_INLINE int steps_below(const ConsecutiveTiles&, int tiles) { return tiles; }
FMHA950_INLINE int steps_below(const TileWalk& walk, int tiles) {
  const int of_window = walk.begin() + walk.sink_tiles(); // the window's first step, and tile
  return tiles > of_window ? tiles : walk.begin() + minimum(tiles, walk.sink_tiles());
}

template <bool Windowed> struct TileOrderOf {
  using Type = ConsecutiveTiles;
};
template <> struct TileOrderOf<true> {
  using Type = TileWalk;
};

} // namespace fmha950::baseline::append
