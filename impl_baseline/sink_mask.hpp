#pragma once
// Hides keys from a tile's scores where the first `sink_tokens` keys stay visible beside a sliding window: of
// the keys up to its last one a query sees those that are sinks or in its window.

#include "attention/key_mask.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

using namespace gfx950;

class SinkMask {
 public:
  using Order = attention::ConsecutiveOrder;
  using KeyMask = attention::KeyMask<keys_per_tile, Order>;
  using Scores = Float16[keys_per_tile / 32];

  FMHA950_INLINE SinkMask(attention::KeyRange window, int key_length, int sink_tokens)
      : window_(window), key_length_(key_length), sink_tokens_(sink_tokens) {}

  // From the window's first tile on those that need no mask.
  FMHA950_INLINE attention::TileRange whole_tiles() const {
    return KeyMask(window_, key_length_).whole_tiles();
  }

  FMHA950_INLINE void hide(Scores& scores, int tile) const {
    const int sinks = sink_tokens_ - tile * keys_per_tile; // from the tile's first key on
    attention::KeyRange keys = window_;
    if (sinks > 0 && protection("sinks_visible")) keys.first = 0;
    // A sink past the diagonal is as hidden as any key there.
    if constexpr (!protection("sinks_below_diagonal")) keys.last = maximum(keys.last, sink_tokens_ - 1);
    KeyMask(keys, key_length_).hide(scores, tile);
    if (sinks <= 0 || !protection("sink_mask")) return;
    pin(scores); // clang would keep the conditions of both, two registers a key
    hide_between(scores, sinks,
                 protection("gap_ends_at_window") ? window_.first - tile * keys_per_tile : keys_per_tile);
  }

 private:
  // Keys [begin, end) of the tile.
  static FMHA950_INLINE void hide_between(Scores& scores, int begin, int end) {
    const uint32_t first = lane_id() / 32 * Order::upper_half - begin; // wraps before `begin`
    const uint32_t count = maximum(end - begin, 0);
    for (int block = 0; block < keys_per_tile / 32; ++block)
      for (int r = 0; r < 16; ++r)
        if (first + Order::of(block, r) < count) scores[block][r] = negative_infinity;
  }

  attention::KeyRange window_;
  int key_length_, sink_tokens_;
};

} // namespace fmha950::baseline
