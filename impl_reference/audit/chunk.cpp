#include "impl_reference/audit/chunk.hpp"

namespace fmha950::reference::FMHA950_SIMD {

void add(AuditGroup& group, AuditGroup&& chunk) {
  const auto add_list = [](PartList& into, const PartList& from) {
    for (size_t i = 0; i < into.sums.size(); ++i) into.sums[i] += from.sums[i];
    for (size_t i = 0; i < into.lse.size(); ++i) into.lse[i] += from.lse[i];
  };
  group.rows += chunk.rows;
  group.lse_offset += chunk.lse_offset;
  group.erring_rows += chunk.erring_rows;
  for (size_t column = 0; column < group.sum_of_errors.size(); ++column)
    group.sum_of_errors[column] += chunk.sum_of_errors[column];
  for (size_t i = 0; i < group.lists.size(); ++i) add_list(group.lists[i], chunk.lists[i]);
  for (TileBucket& bucket : chunk.buckets) {
    const auto place = std::ranges::lower_bound(group.buckets, bucket.exponent, {}, &TileBucket::exponent);
    if (place != group.buckets.end() && place->exponent == bucket.exponent)
      add_list(place->tiles, bucket.tiles);
    else
      group.buckets.insert(place, std::move(bucket));
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
