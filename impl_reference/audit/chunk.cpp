#include "impl_reference/audit/chunk.hpp"

namespace fmha950::reference::FMHA950_SIMD {

void add(AuditOwner& owner, AuditOwner&& chunk) {
  const auto add_list = [](PartList& into, const PartList& from) {
    for (size_t i = 0; i < into.sums.size(); ++i) into.sums[i] += from.sums[i];
    for (size_t i = 0; i < into.lse.size(); ++i) into.lse[i] += from.lse[i];
  };
  owner.rows += chunk.rows;
  owner.lse_offset += chunk.lse_offset;
  owner.erring_rows += chunk.erring_rows;
  for (size_t column = 0; column < owner.sum_of_errors.size(); ++column)
    owner.sum_of_errors[column] += chunk.sum_of_errors[column];
  for (size_t i = 0; i < owner.lists.size(); ++i) add_list(owner.lists[i], chunk.lists[i]);
  for (TileBucket& bucket : chunk.buckets) {
    const auto place = std::ranges::lower_bound(owner.buckets, bucket.exponent, {}, &TileBucket::exponent);
    if (place != owner.buckets.end() && place->exponent == bucket.exponent)
      add_list(place->tiles, bucket.tiles);
    else
      owner.buckets.insert(place, std::move(bucket));
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
