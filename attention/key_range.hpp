#pragma once
// Which keys a query sees, on the device.

#include "attention/work_item.hpp"
#include "gfx950/kernel.hpp"

namespace fmha950::attention {

using namespace gfx950;

struct KeyRange { // inclusive; empty when last < first
  int first, last;
};

FMHA950_INLINE KeyRange visible_keys(MaskWindow window, const WorkItem& item, int query) {
  const int diagonal = item.key_length - item.query_length + query;
  return {maximum(0, diagonal - window.left), minimum(item.key_length - 1, diagonal + window.right)};
}

struct TileRange { // [begin, end)
  int begin, end;
};

// Key tiles that any of the rows [first, end) of the request sees; empty (begin = end) for no rows.
template <int KeysPerTile>
FMHA950_INLINE TileRange tiles_of_rows(MaskWindow window, const WorkItem& item, int heads_per_kv_head,
                                       int first, int end) {
  if (first >= end) return {0, 0};
  const int begin = visible_keys(window, item, first / heads_per_kv_head).first / KeysPerTile;
  const int last = visible_keys(window, item, (end - 1) / heads_per_kv_head).last;
  const int tiles = (maximum(last, -1) + KeysPerTile) / KeysPerTile;
  return {begin, maximum(begin, tiles)};
}

} // namespace fmha950::attention
