#pragma once
// Rows that are computed together because they share their keys.

#include "impl_reference/attention/gather.hpp"

#include <vector>

namespace fmha950::reference::FMHA950_SIMD {

using Chunk = std::vector<QueryHead>;

// Size of a chunk in scores (rows x keys). `scores` fits the caches. `most_scores` is the limit when rows share
// work that is done once for a chunk.
struct ChunkSize {
  size_t scores;
  size_t rows = 0;
  size_t most_scores = scores;
};

// Rows that share their keys follow each other, 8 to 256 of them together. Throws InvalidInput for a row that
// the problem does not have.
std::vector<Chunk> chunks_of(const Problem& problem, const std::vector<QueryRow>& rows,
                             const ChunkSize& size);

// Whether two rows share their keys.
class SharedKeysRule {
 public:
  explicit SharedKeysRule(const Problem& problem);
  bool operator()(const QueryHead& a, const QueryHead& b) const;

 private:
  const Operator& op_;
  int heads_per_kv_head_;
};

} // namespace fmha950::reference::FMHA950_SIMD
