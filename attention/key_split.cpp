#include "attention/key_split.hpp"

#include <algorithm>
#include <cstdint>

namespace fmha950::attention {

int key_parts(const std::vector<Work>& work, int fewest_tiles) {
  if (work.empty()) return 1;
  int longest = 0;
  for (const Work& w : work) longest = std::max(longest, w.item.end_tile - w.item.first_tile);
  const int to_occupy = (compute_units + static_cast<int>(work.size()) - 1) / static_cast<int>(work.size());
  return std::clamp(longest / fewest_tiles, 1, to_occupy);
}

std::vector<Work> split_keys(const std::vector<Work>& work, int parts) {
  std::vector<Work> split;
  split.reserve(work.size() * static_cast<size_t>(parts));
  for (const Work& whole : work) {
    const int64_t begin = whole.item.first_tile, tiles = whole.item.end_tile - begin;
    for (int part = 0; part < parts; ++part) {
      Work piece = whole;
      piece.item.part = part;
      piece.item.first_tile = static_cast<int32_t>(begin + tiles * part / parts);
      piece.item.end_tile = static_cast<int32_t>(begin + tiles * (part + 1) / parts);
      split.push_back(piece);
    }
  }
  return split;
}

} // namespace fmha950::attention
