#include "attention/host/key_split.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <utility>

namespace fmha950::attention {

namespace {

// In tiles of impl_pipelined, some 1,940 clocks in the cycle model. A second launch: 1.6 us (machine_gfx950.md section 6.5 [M])
// at 2,400 MHz. A workgroup's start, its queries and its output: some 4,400 clocks until its first product, by the cycle model
// (docs/performance.md, "Goals"). What reading the partial results of a workgroup adds to the second launch: 128 KiB from MALL at
// 7,167 bytes a clock (emulator/rates/latencies.hpp), 18 clocks.
constexpr double workgroup_cost = 2, launch_cost = 2, partial_cost = 1.0 / 128;
// Beyond that the parts are as short as they need be to even out what is left.
constexpr int64_t most_workgroups = 4 * compute_units;

int tiles_of(const Work& work) { return work.item.end_tile - work.item.first_tile; }

int parts_of(const Work& work, int tiles) { return std::max(1, (tiles_of(work) + tiles - 1) / tiles); }

// The time that workgroups take if each goes to the compute unit that is free first.
double duration(const std::vector<Work>& work, int tiles) {
  std::vector<double> workgroups;
  for (const Work& whole : work) {
    const int parts = parts_of(whole, tiles);
    workgroups.insert(workgroups.end(), static_cast<size_t>(parts),
                      workgroup_cost + static_cast<double>(tiles_of(whole)) / parts);
  }
  std::ranges::sort(workgroups, std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> free(
      std::greater<>(), std::vector<double>(compute_units, 0.0));
  double end = 0;
  for (const double clocks : workgroups) {
    const double done = free.top() + clocks;
    free.pop();
    free.push(done);
    end = std::max(end, done);
  }
  const bool split = workgroups.size() > work.size();
  return split ? end + launch_cost + partial_cost * static_cast<double>(workgroups.size()) : end;
}

} // namespace

int tiles_of_a_part(const std::vector<Work>& work, int fewest) {
  int longest = 1;
  for (const Work& w : work) longest = std::max(longest, tiles_of(w));
  if (static_cast<int64_t>(work.size()) >= most_workgroups) return longest;
  int best = longest;
  double least = duration(work, longest);
  for (int parts = 2; longest / parts >= fewest; ++parts) {
    const int tiles = (longest + parts - 1) / parts;
    int64_t workgroups = 0;
    for (const Work& w : work) workgroups += parts_of(w, tiles);
    if (workgroups > most_workgroups) break;
    const double needed = duration(work, tiles);
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

SplitWork split_for_batch(const std::vector<Work>& work, int fewest) {
  std::vector<Work> parts = split_keys(work, tiles_of_a_part(work, fewest));
  if (parts.size() == work.size()) return {std::move(parts), {}};
  return {{}, std::move(parts)};
}

SplitWork split_by_request(const std::vector<Work>& work, int fewest) {
  std::map<int, std::vector<Work>> requests;
  for (const Work& item : work) requests[item.request].push_back(item);
  SplitWork all;
  for (const auto& [request, own] : requests) {
    SplitWork split = split_for_batch(own, fewest);
    std::ranges::move(split.whole, std::back_inserter(all.whole));
    std::ranges::move(split.parts, std::back_inserter(all.parts));
  }
  return all;
}

} // namespace fmha950::attention
