#include "harness/judge/audit_parts.hpp"

#include "interface/operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fmha950::harness {

namespace {

class Parts {
 public:
  Parts(const Evidence& evidence, const std::function<void(const Part&)>& use)
      : evidence_(evidence), problem_(evidence.problem), names_(problem_.op->parts()), use_(use) {}

  void visit() {
    for (const AuditOwner& owner : evidence_.audit.owners) {
      visit_tiles(owner);
      for (const PartList& list : owner.lists) visit(owner, list);
    }
    for (auto& [key, part] : shared_)
      if (part.owners > 1) use_(part.part);
  }

 private:
  void visit_tiles(const AuditOwner& owner) {
    PartList tiles = owner.buckets.front().tiles;
    for (size_t b = 1; b < owner.buckets.size(); ++b)
      for (size_t i = 0; i < tiles.sums.size(); ++i) {
        tiles.sums[i] += owner.buckets[b].tiles.sums[i];
        tiles.lse[i] += owner.buckets[b].tiles.lse[i];
      }
    visit(owner, tiles);
  }

  void visit(const AuditOwner& owner, const PartList& list) {
    const auto columns = static_cast<size_t>(list.columns);
    const double rows_alike = owner.rows_alike();
    for (size_t i = 0; i < list.sums.size(); ++i) {
      const size_t range = i / columns;
      Part part;
      part.place = {.kind = list.kind,
                    .request = owner.request,
                    .kv_head = owner.kv_head,
                    .first_key = list.first_key(range),
                    .last_key = list.ends[range],
                    .column = columns > 1 ? static_cast<int>(i % columns) : -1};
      if (part.place.first_key == part.place.last_key) continue;
      part.sums = list.sums[i];
      part.rows_alike = rows_alike;
      if (!list.lse.empty()) {
        part.lse = list.lse[range];
        part.lse_offset = owner.lse_offset;
      }
      names_.find(problem_, evidence_.tensors, part.place);
      use_(part);
      share(part);
    }
  }

  // Adds the part to one of all that share it.
  void share(const Part& part) {
    Part all = part;
    all.place.request = -1;
    const PartKind kind = part.place.kind;
    const bool of_all =
        kind == PartKind::all_values || kind == PartKind::all_scores || kind == PartKind::edge;
    if (!of_all && !names_.share(problem_, all.place)) return;
    if (all.place.kind != PartKind::tile) all.place.last_key = 0;
    const PartPlace& place = all.place;
    Shared& shared = shared_[{static_cast<int>(place.kind), place.kv_head, place.first_key, place.column,
                              place.page, place.row}];
    if (shared.owners++ == 0) {
      shared.part = all;
      return;
    }
    shared.part.sums += part.sums;
    shared.part.lse += part.lse;
    shared.part.lse_offset += part.lse_offset;
    shared.part.rows_alike = std::max(shared.part.rows_alike, part.rows_alike);
  }

  struct Shared {
    Part part;
    int owners = 0;
  };
  using Key = std::tuple<int, int, int, int, int64_t, int64_t>;

  const Evidence& evidence_;
  const Problem& problem_;
  const PartNames& names_;
  const std::function<void(const Part&)>& use_;
  std::map<Key, Shared> shared_;
};

} // namespace

int64_t keys_to_audit(const Problem& problem, const Tensors& tensors) {
  int64_t keys = 0;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    switch (problem.op->facts().key_owner) {
    case KeyOwner::request: keys += request.query_length > 0 ? request.key_length : 0; break;
    case KeyOwner::query:
      for (int query = 0; query < request.query_length; ++query)
        keys += oracle().visibility(problem, tensors, {r, query}).end;
    }
  }
  return keys * problem.kv_heads;
}

void for_each_part(const Evidence& evidence, const std::function<void(const Part&)>& use) {
  Parts(evidence, use).visit();
}

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
