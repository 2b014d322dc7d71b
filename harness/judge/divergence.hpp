#pragma once
// The KV tile where a wrong row first diverges. A kernel shows only its final output, so the error is
// attributed: the oracle gives each tile's contribution to the row, and the tile whose contribution (a wrong
// value or value descale), change of weight (a wrong key or key descale), or everything from it on (a
// pipeline out of step) points most nearly along the error is named.

#include "interface/oracle.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <optional>
#include <span>

namespace fmha950::harness {

struct KvTile {
  int first_key = 0; // of sparse_prefill: list position, prefix before extend
  int keys = 0;
  // |cosine| between the error and what the tile explains: near 1 is certain, below 0.5 a guess.
  double cosine = 0;
};

// `error` is got - reference of one row and head, [D]. Nothing for a row with fewer than two tiles.
std::optional<KvTile> diverging_tile(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                                     std::span<const double> error);

} // namespace fmha950::harness
