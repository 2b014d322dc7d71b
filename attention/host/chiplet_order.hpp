#pragma once
// The order of work items in a grid whose workgroup n runs on chiplet n mod 8 (machine_gfx950.md section
// 6.1): the tiles that share a KV head and request go to one chiplet, whose L2 then reads their keys once.

#include "attention/host/work_items.hpp"
#include "numerics/target.hpp"

#include <vector>

namespace fmha950::attention {

constexpr int chiplets = target.chiplets;

// Tiles that share keys stay together unless they are more than a chiplet's share of all work; then they are
// spread over as many chiplets as that takes. Each chiplet gets as many items as any other (or one less),
// because they take turns; items change places until the loads differ by no more than about the longest item.
// Within a chiplet the longest come first, so that the short ones fill in behind them: a compute unit that is
// through with a short tile takes the next while others still run a long one. No two items are alike.
std::vector<Work> order_for_chiplets(std::vector<Work> work);

} // namespace fmha950::attention
