#pragma once
// Key split: where a problem has fewer tiles of rows than the GPU has compute units, several workgroups share
// the keys of each, and a combine step joins what they found.

#include "attention/host/work_items.hpp"
#include "numerics/target.hpp"

#include <functional>
#include <vector>

namespace fmha950::attention {

constexpr int compute_units = target.compute_units();

// What is known of the time that a kernel takes for these items, in any unit. Where one of them is a part (item.part > 0), joining
// them is included.
using SplitTime = std::function<double(const std::vector<Work>&)>;

// How many tiles a part has at most, for the problem to take the least time. No part is shorter
// than `fewest` tiles where another length would do. As many tiles as the longest item has: no split at all.
int tiles_of_a_part(const std::vector<Work>& work, int fewest, const SplitTime& time);

// Every item becomes as few parts of equal ranges of key tiles as have at most `tiles` each; one without
// tiles stays.
std::vector<Work> split_keys(const std::vector<Work>& work, int tiles);

// What one workgroup computes from first to last, and what several compute and a combine step joins.
struct SplitWork {
  std::vector<Work> whole, parts; // parts of an item follow one another; an item may have one
};

// For the batch to take the least time: all items are whole, or all are in parts.
SplitWork split_for_batch(const std::vector<Work>& work, int fewest, const SplitTime& time);

// So that what becomes of a request does not depend on the others: each is split as it would be alone, with `fewest` tiles in
// a part of its longest item. One that is not split stays whole, as a combine step may round a result of one part otherwise (-0 becomes 0).
SplitWork split_by_request(const std::vector<Work>& work, int fewest, const SplitTime& time);

} // namespace fmha950::attention
