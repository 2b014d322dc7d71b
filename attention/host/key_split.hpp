#pragma once
// Key split: where a problem has fewer tiles of rows than the GPU has compute units, several workgroups share
// the keys of each, and a combine step joins what they found. Facts of the device: 256 compute units (machine_gfx950.md
// section 6.1 [D]), and what a launch costs (key_split.cpp).

#include "attention/host/work_items.hpp"
#include "numerics/target.hpp"

#include <vector>

namespace fmha950::attention {

constexpr int compute_units = target.compute_units();

// How many tiles a part has at most, for the problem to take the least time. Workgroups go to compute units
// one after the other, the longest first; joining parts costs a launch and reading them. No part is shorter
// than `fewest` tiles where another length would do. As many tiles as the longest item has: no split at all.
int tiles_of_a_part(const std::vector<Work>& work, int fewest);

// Every item becomes as few parts of equal ranges of key tiles as have at most `tiles` each; one without
// tiles stays.
std::vector<Work> split_keys(const std::vector<Work>& work, int tiles);

} // namespace fmha950::attention
