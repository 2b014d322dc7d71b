#include "harness/judge/audit_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fmha950::harness {
namespace {

void take(const PartList& list, AuditCurve& curve) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const size_t tiles = std::max(curve.share.size(), list.sums.size());
  curve.share.resize(tiles, nothing);
  curve.sigma.resize(tiles, nothing);
  for (size_t tile = 0; tile < list.sums.size(); ++tile) {
    const PartSums& sums = list.sums[tile];
    if (!(sums.information > 0)) continue;
    const double share = sums.got / sums.information,
                 sigma = std::sqrt(sums.information + sums.own) / sums.information;
    const double before = std::fabs(curve.share[tile]) / curve.sigma[tile];
    if (std::fabs(share) / sigma <= before) continue;
    curve.share[tile] = share;
    curve.sigma[tile] = sigma;
  }
}

} // namespace

AuditCurves audit_curves(const AuditSums& audit) {
  AuditCurves curves;
  std::map<int, AuditCurve> buckets;
  for (const AuditOwner& owner : audit.owners) {
    for (const TileBucket& bucket : owner.buckets) take(bucket.tiles, buckets[bucket.exponent]);
    for (const PartList& list : owner.lists)
      if (list.kind == PartKind::tile_scores) take(list, curves.scores);
  }
  for (auto& [exponent, curve] : buckets) {
    curve.exponent = exponent;
    curves.tiles.push_back(std::move(curve));
  }
  return curves;
}

} // namespace fmha950::harness
