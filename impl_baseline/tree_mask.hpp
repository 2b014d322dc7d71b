#pragma once
// Hides keys as SinkMask does, and of the keys of a draft tree those that a node does not see. A lane owns one query: its row
// of the tree is two registers, loaded once.

#include "impl_baseline/sink_mask.hpp"

namespace fmha950::baseline {

class TreeMask {
 public:
  using Scores = SinkMask::Scores;

  FMHA950_INLINE TreeMask(const SinkMask& without_tree, const TreeNodes& tree,
                          const attention::WorkItem& item, int query)
      : without_tree_(without_tree) {
    const int nodes = protection("tree_of_short_request")
                          ? minimum(minimum(tree.most, item.query_length), item.key_length)
                          : tree.most;
    first_key_ = item.key_length - nodes;
    // Queries before the tree see none of its keys anyway: the diagonal hides them.
    const int node = maximum(query + off_by_one("tree_row_of_query"), item.query_length - nodes);
    const int64_t row = (protection("tree_of_own_request") ? item.query_begin : 0) + int64_t{node};
    const uint64_t bits = tree.mask[row];
    bits_[0] = static_cast<uint32_t>(bits);
    bits_[1] = static_cast<uint32_t>(bits >> 32);
    for (uint32_t& word : bits_) pin(word); // arrives before transfers are counted
  }

  FMHA950_INLINE attention::TileRange whole_tiles() const {
    attention::TileRange tiles = without_tree_.whole_tiles();
    if constexpr (protection("tree_tiles_masked")) tiles.end = minimum(tiles.end, first_key_ / keys_per_tile);
    return tiles;
  }

  FMHA950_INLINE void hide(Scores& scores, int tile) const {
    without_tree_.hide(scores, tile);
    const int begin = tile * keys_per_tile - first_key_; // of the tile, counted in nodes
    if (begin <= -keys_per_tile || !protection("tree_mask")) return;
    pin(scores); // as in SinkMask
    const uint64_t bits = bits_[0] | static_cast<uint64_t>(bits_[1]) << 32;
    const uint64_t before = protection("keys_before_tree_seen") ? (uint64_t{1} << (-begin & 63)) - 1 : 0;
    uint64_t seen; // bit k: key k of the tile
    if (begin < 0)
      seen = bits << -begin | before;
    else
      seen = protection("tree_goes_on_in_next_tile") ? bits >> begin : bits;
    const uint32_t upper_half =
        protection("tree_of_upper_lanes") ? lane_id() / 32 * SinkMask::Order::upper_half : 0;
    for (int block = 0; block < keys_per_tile / 32; ++block) {
      const uint32_t of_lane = static_cast<uint32_t>(seen >> (32 * block)) >> upper_half;
      for (int r = 0; r < 16; ++r)
        if ((of_lane >> r & 1) == 0) scores[block][r] = negative_infinity;
    }
  }

 private:
  SinkMask without_tree_;
  int first_key_; // that belongs to a node
  uint32_t bits_[2];
};

// What hides keys from a query, by a kernel's arguments.
FMHA950_INLINE SinkMask mask_of(const AttentionArguments& arguments, const attention::WorkItem& item,
                                int query) {
  return {attention::visible_keys(arguments.window, item, query), item.key_length, arguments.sink_tokens};
}
FMHA950_INLINE TreeMask mask_of(const TreeArguments& arguments, const attention::WorkItem& item, int query) {
  const AttentionArguments& without_tree = arguments;
  return {mask_of(without_tree, item, query), arguments.tree, item, query};
}
FMHA950_INLINE TreeMask mask_of(const TreeBlockPageArguments& arguments, const attention::WorkItem& item,
                                int query) {
  const AttentionArguments& without_tree = arguments;
  return {mask_of(without_tree, item, query), arguments.tree, item, query};
}

} // namespace fmha950::baseline
