#include "impl_reference/audit/edges.hpp"

namespace fmha950::reference::FMHA950_SIMD {

PartList audit_edges(const Gather& gather, std::span<const QueryHead> heads, const AuditRows& rows,
                     const AuditValues& values, const ProbabilityNoise& noise, const AuditInput& input,
                     int keys) {
  PartList list{PartKind::edge, {keys}, edges, std::vector<PartSums>(edges), {}};
  const Problem& problem = gather.problem();
  const Gathered<double> q = gather.queries<double>(heads);
  for (size_t r = 0; r < heads.size(); ++r) {
    const Visibility& sees = rows.shared.visibility[r];
    const AuditRow& row = rows.rows[r];
    const double lse = input.exact.lse[heads[r].place];
    if (!std::isfinite(lse)) continue;
    const auto index = static_cast<Eigen::Index>(r);
    const auto add = [&](Edge edge, int64_t key) {
      if (key < 0 || key >= keys) return;
      const Gathered<double> k = gather.keys<double>(heads[r], static_cast<int>(key), 1);
      const double score = capped(double(problem.softmax_scale()) * q.factor(index) * k.factor(0) *
                                      q.values.row(index).dot(k.values.row(0)),
                                  double(problem.soft_cap));
      const auto p = static_cast<float>(std::exp(score - lse) * rows.weights.scale[r]);
      if (!std::isfinite(p)) return;
      const Matrix<float> v = values.of_key(static_cast<int>(key)); // some are hidden
      const double square = double(p) * p * across_directions(rows, index, v.row(0));
      if (square == 0) return;
      const double information = row.weight * square;
      const bool seen = sees.sees(key) && !row.exact;
      const float relative = seen ? rows.weights.relative(index, key) : 1;
      const double copies = seen ? rows.weights.copies(key) : 0;
      const double own = copies * noise.deviation(relative) * information;
      const auto dot = [&](Eigen::Index error) { return double(p) * rows.errors.row(error).dot(v.row(0)); };
      list.sums[static_cast<size_t>(edge)] +=
          {.information = information,
           .own = own * own,
           .floor = copies * noise.bound(relative) * information,
           .plain = row.weight * dot(index + static_cast<Eigen::Index>(heads.size())),
           .got = row.weight * dot(index)};
    };
    if (sees.end > 0 && sees.sees(sees.end - 1)) add(Edge::last_visible, sees.end - 1);
    add(Edge::behind_last, sees.end);
    if (!problem.window) continue;
    if (sees.sees(sees.window_begin)) add(Edge::first_of_window, sees.window_begin);
    if (sees.window_begin - 1 < sees.end && !sees.sees(sees.window_begin - 1))
      add(Edge::before_window, sees.window_begin - 1);
    if (sees.sink_end == 0 || sees.sink_end >= sees.window_begin) continue;
    if (sees.sees(sees.sink_end - 1)) add(Edge::last_sink, sees.sink_end - 1);
    if (!sees.sees(sees.sink_end)) add(Edge::behind_sinks, sees.sink_end);
  }
  return list;
}

} // namespace fmha950::reference::FMHA950_SIMD
