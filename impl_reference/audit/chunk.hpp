#pragma once
// The audit's pass over keys and values (interface/audit.hpp). Running sums only: what is kept of a pair of
// row and key lives as long as its chunk.

#include "impl_reference/attention/chunks.hpp"
#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

inline constexpr ChunkSize audit_chunk_size{
    .scores = size_t{1} << 20, .rows = 128, .most_scores = audit_limits::most_scores};

// Sums of one chunk alone, whose keys are those of `blocks`. Writes the noise of its rows, each at its place.
AuditOwner audit_chunk(OwnerBlocks& blocks, const Chunk& chunk, const AuditInput& input,
                       std::vector<RowNoise>& noise_of_rows);

// Adds the sums of another chunk of the same request and KV head.
void add(AuditOwner& owner, AuditOwner&& chunk);

} // namespace fmha950::reference::FMHA950_SIMD
