#include "harness/accuracy/audit_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fmha950::harness {

std::vector<AuditCurve> audit_curves(const AuditSums& audit) {
  std::map<int, std::vector<PartSums>> buckets;
  for (const AuditGroup& group : audit.groups)
    for (const TileBucket& bucket : group.buckets) {
      std::vector<PartSums>& sums = buckets[bucket.exponent];
      sums.resize(std::max(sums.size(), bucket.tiles.sums.size()));
      for (size_t tile = 0; tile < bucket.tiles.sums.size(); ++tile) sums[tile] += bucket.tiles.sums[tile];
    }
  std::vector<AuditCurve> curves;
  for (const auto& [exponent, sums] : buckets) {
    AuditCurve& curve = curves.emplace_back(AuditCurve{exponent, {}, {}});
    for (const PartSums& tile : sums) {
      const bool seen = tile.information > 0;
      constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
      curve.share.push_back(seen ? tile.got / tile.information : nothing);
      curve.sigma.push_back(seen ? std::sqrt(tile.information + tile.own) / tile.information : nothing);
    }
  }
  return curves;
}

} // namespace fmha950::harness
