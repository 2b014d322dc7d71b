#pragma once
// Hides keys from transposed scores: a lane owns one query, D of 32 x 32 matrix instructions gives it half of
// the tile's keys.

#include "attention/key_range.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"

namespace fmha950::attention {

// Key within the tile of item r of a block of scores, for lanes below 32; the others have 4 more.
constexpr int key_of(int block, int r) { return 32 * block + r / 4 * 8 + r % 4; }

// Which keys of the tile a lane's scores belong to: item r of a block to key of(block, r), from lane 32 on to
// the key `upper_half` further on.
struct OperandOrder { // of D as it is (mfma_gfx950.md section 2.3)
  static constexpr int upper_half = 4;
  static constexpr int of(int block, int r) { return key_of(block, r); }
};
struct ConsecutiveOrder { // 16 keys in a row, where K's rows enter the product in an order of their own
  static constexpr int upper_half = 16;
  static constexpr int of(int block, int r) { return 32 * block + r; }
};

template <int KeysPerTile, class Order = OperandOrder> class KeyMask {
 public:
  // A tile whose keys all lanes see needs no mask.
  FMHA950_INLINE KeyMask(KeyRange keys, int key_length) {
    // Without its mask a tile counts whole.
    constexpr int in_tile = KeysPerTile - 1;
    const int last_key = key_length - 1;
    if constexpr (!protection("diagonal_mask")) keys.last = minimum(keys.last | in_tile, last_key);
    if constexpr (!protection("window_mask")) keys.first &= ~in_tile;
    if constexpr (!protection("tail_mask"))
      if (keys.last == last_key) keys.last |= in_tile;
    const bool some = keys.first <= keys.last || !protection("empty_range");
    first_key_ = some ? keys.first : INT32_MAX;
    key_span_ = some ? keys.last - keys.first : 0;
  }

  // The tiles that need no mask, as scalars, once for a loop over them. Where lanes go through the queries
  // in ascending order, 0 to 31 as 32 to 63, no first key comes after that of the last lane, and no last key
  // before that of the first lane.
  FMHA950_INLINE TileRange whole_tiles() const {
    if (__builtin_amdgcn_ballot_w64(first_key_ == INT32_MAX) != 0) return {0, 0}; // some see nothing
    const int begin = __builtin_amdgcn_readlane(first_key_, 31) + (KeysPerTile - 1);
    const int end = __builtin_amdgcn_readfirstlane(first_key_ + key_span_) + 1;
    return {begin / KeysPerTile, end / KeysPerTile};
  }

  FMHA950_INLINE void hide(Float16 (&scores)[KeysPerTile / 32], int tile) const {
    const uint32_t begin = tile * KeysPerTile + lane_id() / 32 * Order::upper_half - first_key_;
    for (int block = 0; block < KeysPerTile / 32; ++block)
      for (int r = 0; r < 16; ++r)
        if (begin + Order::of(block, r) > static_cast<uint32_t>(key_span_))
          scores[block][r] = negative_infinity;
  }

 private:
  int first_key_, key_span_; // last key - first key
};

} // namespace fmha950::attention
