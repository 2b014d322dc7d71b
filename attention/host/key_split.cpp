#include "attention/host/key_split.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace fmha950::attention {

namespace {

// Beyond that the parts are as short as they need be to even out what is left.
constexpr int64_t most_workgroups = 4 * compute_units;

int tiles_of(const Work& work) { return work.item.end_tile - work.item.first_tile; }

int parts_of(const Work& work, int tiles) { return std::max(1, (tiles_of(work) + tiles - 1) / tiles); }

} // namespace

int tiles_of_a_part(const std::vector<Work>& work, int fewest, const SplitTime& time) {
  int longest = 1;
  for (const Work& w : work) longest = std::max(longest, tiles_of(w));
  if (static_cast<int64_t>(work.size()) >= most_workgroups) return longest;
  int best = longest;
  double least = time(work);
  for (int parts = 2; longest / parts >= fewest; ++parts) {
    const int tiles = (longest + parts - 1) / parts;
    int64_t workgroups = 0;
    for (const Work& w : work) workgroups += parts_of(w, tiles);
    if (workgroups > most_workgroups) break;
    const double needed = time(split_keys(work, tiles));
    if (needed >= least) continue;
    least = needed;
    best = tiles;
  }
  return best;
}

std::vector<Work> split_keys(const std::vector<Work>& work, int tiles) {
  std::vector<Work> split;
  for (const Work& whole : work) {
    const int64_t begin = whole.item.first_tile, all = tiles_of(whole);
    const int parts = parts_of(whole, tiles);
    for (int part = 0; part < parts; ++part) {
      Work piece = whole;
      piece.item.part = part;
      piece.item.first_tile = static_cast<int32_t>(begin + all * part / parts);
      piece.item.end_tile = static_cast<int32_t>(begin + all * (part + 1) / parts);
      split.push_back(piece);
    }
  }
  return split;
}

SplitWork split_for_batch(const std::vector<Work>& work, int fewest, const SplitTime& time) {
  std::vector<Work> parts = split_keys(work, tiles_of_a_part(work, fewest, time));
  if (parts.size() == work.size()) return {std::move(parts), {}};
  return {{}, std::move(parts)};
}

SplitWork split_by_request(const std::vector<Work>& work, int fewest, const SplitTime& time) {
  std::map<int, std::vector<Work>> requests;
  for (const Work& item : work) requests[item.request].push_back(item);
  SplitWork all;
  for (const auto& [request, own] : requests) {
    SplitWork split = split_for_batch(own, fewest, time);
    std::ranges::move(split.whole, std::back_inserter(all.whole));
    std::ranges::move(split.parts, std::back_inserter(all.parts));
  }
  return all;
}

} // namespace fmha950::attention
