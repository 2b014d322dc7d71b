#include "impl_reference/audit_weights.hpp"

#include "impl_reference/append_gather.hpp"
#include "impl_reference/list_gather.hpp"
#include "impl_reference/paged_gather.hpp"

namespace fmha950::reference {
namespace {

// P times the descale of a group of V's columns.
Matrix<float> products(const Matrix<float>& p, int first, const ValueScales& scales, Eigen::Index group) {
  return p.middleCols(first, scales.of_key.rows()) * scales.of_key.col(group).asDiagonal();
}

// Relative to the row's largest of the same group of columns; of the groups the least, which is the coarsest.
template <class Gather>
Matrix<float> relative_weights(const Gather& gather, const QueryHead& row, const Matrix<float>& p,
                               const SharedKeys& shared) {
  Matrix<float> largest, relative = p;
  for_each_seen_block(shared, [&](int first, int count) {
    const ValueScales scales = gather.value_scales(row, first, count);
    if (largest.size() == 0) largest.setConstant(p.rows(), scales.of_key.cols(), 1e-37f);
    for (Eigen::Index group = 0; group < scales.of_key.cols(); ++group)
      largest.col(group) = largest.col(group).cwiseMax(products(p, first, scales, group).rowwise().maxCoeff());
  });
  for_each_seen_block(shared, [&](int first, int count) {
    const ValueScales scales = gather.value_scales(row, first, count);
    for (Eigen::Index group = 0; group < scales.of_key.cols(); ++group) {
      const Matrix<float> of_group = largest.col(group).cwiseInverse().asDiagonal() * products(p, first, scales, group);
      auto into = relative.middleCols(first, count);
      into = group == 0 ? of_group : Matrix<float>(into.cwiseMin(of_group));
    }
  });
  return relative;
}

} // namespace

template <class Gather>
AuditWeights audit_weights(const Gather& gather, std::span<const QueryHead> rows, const SharedKeys& shared,
                           const std::vector<double>& lse, bool weighted) {
  const double cap = gather.problem().soft_cap;
  const Matrix<double> scores = scores_of<double>(gather, rows, shared);
  AuditWeights weights;
  weights.p.setZero(scores.rows(), scores.cols());
  weights.slope.setZero(scores.rows(), scores.cols());
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    if (!std::isfinite(lse[static_cast<size_t>(r)])) continue;
    for (Eigen::Index j = 0; j < scores.cols(); ++j) {
      const double score = scores(r, j);
      if (score == -std::numeric_limits<double>::infinity()) continue;
      weights.p(r, j) = static_cast<float>(std::exp(score - lse[static_cast<size_t>(r)]));
      const double tanh = cap > 0 ? score / cap : 0;
      const double uncapped = cap > 0 ? cap * std::atanh(std::clamp(tanh, -1 + 1e-15, 1 - 1e-15)) : score;
      weights.slope(r, j) = static_cast<float>(uncapped * (1 - tanh * tanh));
    }
  }
  weights.relative = weighted ? relative_weights(gather, rows[0], weights.p, shared) : weights.p;
  for (Eigen::Index r = 0; r < scores.rows(); ++r) {
    const float largest = scores.cols() > 0 ? weights.relative.row(r).maxCoeff() : 0;
    if (!weighted && largest > 0) weights.relative.row(r) /= largest;
    bool exact = true;
    for (Eigen::Index j = 0; j < scores.cols(); ++j)
      if (weights.p(r, j) > 0 && weights.relative(r, j) != 1) exact = false;
    weights.exact.push_back(exact);
  }
  return weights;
}

template AuditWeights audit_weights(const PagedGather&, std::span<const QueryHead>, const SharedKeys&, const std::vector<double>&, bool);
template AuditWeights audit_weights(const AppendGather&, std::span<const QueryHead>, const SharedKeys&, const std::vector<double>&, bool);
template AuditWeights audit_weights(const ListGather&, std::span<const QueryHead>, const SharedKeys&, const std::vector<double>&, bool);

} // namespace fmha950::reference
