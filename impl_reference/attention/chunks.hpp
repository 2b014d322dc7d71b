#pragma once
// Rows that are computed together because they share their keys.

#include "impl_reference/attention/gather.hpp"

#include <vector>

namespace fmha950::reference::FMHA950_SIMD {

using Chunk = std::vector<QueryHead>;

// Rows of one request and KV head (of sparse_prefill: of one token) follow each other. At most 256 of them
// are together, fewer where `scores` numbers of each row and key would not fit. Throws InvalidInput for a row
// that the problem does not have.
std::vector<Chunk> chunks_of(const Problem& problem, const std::vector<QueryRow>& rows, size_t scores);

// Whether two rows share their keys.
bool share_keys(const Problem& problem, const QueryHead& a, const QueryHead& b);

} // namespace fmha950::reference::FMHA950_SIMD
