#pragma once
// Key split: where a problem has fewer tiles of rows than the GPU has compute units, several workgroups share
// the keys of each, and a combine step joins what they found.

#include "attention/work_items.hpp"

#include <vector>

namespace fmha950::attention {

constexpr int compute_units = 256; // machine_gfx950.md section 6.1

// Into how many parts to split the keys: enough to occupy the compute units, none shorter than `fewest_tiles`
// of the longest item; 1: not at all.
int key_parts(const std::vector<Work>& work, int fewest_tiles);

// Every item becomes `parts` items of equal ranges of key tiles, some of them empty where there are fewer
// tiles.
std::vector<Work> split_keys(const std::vector<Work>& work, int parts);

} // namespace fmha950::attention
