#include "impl_reference/audit/audit.hpp"

#include "impl_reference/audit/chunk.hpp"
#include "numerics/threads.hpp"

#include <memory>

namespace fmha950::reference::FMHA950_SIMD {

using numerics::parallel_for;

// The chunks' sums, added by owner in order, whatever the threads did: sums of floating-point numbers depend on it.
AuditSums audit_of(const Gather& gather, const AuditInput& input) {
  const std::vector<Chunk> chunks = chunks_of(gather.problem(), input.exact.rows, audit_chunk_size);
  AuditSums sums;
  sums.noise.resize(input.exact.lse.size());
  const SharedKeysRule share_keys(gather.problem());
  std::vector<size_t> owner_of_chunk;
  std::vector<QueryHead> owners;
  for (const Chunk& chunk : chunks) {
    if (owners.empty() || !share_keys(owners.back(), chunk.front())) owners.push_back(chunk.front());
    owner_of_chunk.push_back(owners.size() - 1);
  }
  std::vector<std::unique_ptr<OwnerBlocks>> blocks(owners.size());
  parallel_for(static_cast<int64_t>(owners.size()), [&](int64_t i) {
    const int keys = gather.segments(owners[i]).back();
    blocks[i] = std::make_unique<OwnerBlocks>(gather, owners[i], column_scale(gather, owners[i], keys), keys);
  });
  // Chunks of an owner follow each other: few owners have blocks at a time.
  std::vector<std::atomic<int>> chunks_left(owners.size());
  for (const size_t owner : owner_of_chunk) ++chunks_left[owner];
  std::vector<AuditOwner> of_chunk(chunks.size());
  parallel_for(static_cast<int64_t>(chunks.size()), [&](int64_t i) {
    const size_t owner = owner_of_chunk[i];
    of_chunk[i] = audit_chunk(*blocks[owner], chunks[i], input, sums.noise);
    if (--chunks_left[owner] == 0) blocks[owner].reset();
  });
  for (size_t i = 0; i < chunks.size(); ++i)
    if (owner_of_chunk[i] == sums.owners.size())
      sums.owners.push_back(std::move(of_chunk[i]));
    else
      add(sums.owners.back(), std::move(of_chunk[i]));
  return sums;
}

} // namespace fmha950::reference::FMHA950_SIMD
