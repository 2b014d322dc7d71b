#pragma once
// How much there is to do in what the mask lets be seen: FLOPs, tiles and budgets all count by these. What a
// row sees is the oracle's.

#include "interface/oracle.hpp"
#include "interface/tensors.hpp"
#include "interface/tile_shape.hpp"
#include "interface/visibility.hpp"

namespace fmha950::harness {

// Pairs of a query row and a key that it sees, for one query head. Time O(rows).
int64_t visible_pairs(const Problem& problem, const Tensors& tensors);

// 2 multiply-adds for each column of each visible pair, over all query heads: 4 * pairs * D * Hq.
double flops_of_pairs(const Problem& problem, double pairs);
double attention_flops(const Problem& problem, const Tensors& tensors);

// Tiles of scores with at least one visible pair, over all heads; keys that a tree hides count as seen. Rows of a tile share the owner of their keys and the
// KV head: query after query, and of each the heads of the KV head.
int64_t visible_tiles(const Problem& problem, const Tensors& tensors, TileShape tile);

// As if every pair of such a tile were seen, and none of its rows or keys missing.
double visible_tile_flops(const Problem& problem, const Tensors& tensors, TileShape tile);

} // namespace fmha950::harness
