#include "impl_reference/audit/weights.hpp"

namespace fmha950::reference::FMHA950_SIMD {
namespace {

// P times the descale of a scale block of V.
Matrix<float> products(const Matrix<float>& p, int first, const ValueScales& scales, Eigen::Index block) {
  return p.middleCols(first, scales.of_key.rows()) * scales.of_key.col(block).asDiagonal();
}

// Weights relative to the row's largest in the same scale block. With several blocks the smallest ratio counts:
// it is rounded most coarsely.
Matrix<float> relative_weights(const Gather& gather, const QueryHead& row, const Matrix<float>& p,
                               const SharedKeys& shared, bool unit_follows) {
  Matrix<float> largest, relative = p;
  for_each_seen_block(shared, [&](int first, int count) {
    const ValueScales scales = rounded_scales(gather, row, first, count, unit_follows);
    if (largest.size() == 0) largest.setConstant(p.rows(), scales.of_key.cols(), 1e-37f);
    for (Eigen::Index block = 0; block < scales.of_key.cols(); ++block)
      largest.col(block) =
          largest.col(block).cwiseMax(products(p, first, scales, block).rowwise().maxCoeff());
  });
  for_each_seen_block(shared, [&](int first, int count) {
    const ValueScales scales = rounded_scales(gather, row, first, count, unit_follows);
    for (Eigen::Index block = 0; block < scales.of_key.cols(); ++block) {
      // Divided, so that the largest is 1 exactly.
      const Matrix<float> of_block =
          products(p, first, scales, block).array().colwise() / largest.col(block).array();
      auto into = relative.middleCols(first, count);
      into = block == 0 ? of_block : Matrix<float>(into.cwiseMin(of_block));
    }
  });
  return relative;
}

// Whether all of a row's relative weights are powers of two. Every type has these, if they are not too small.
bool rounds_exactly(const auto& relative) {
  for (const float weight : relative) {
    int exponent;
    if (weight != 0 && (weight < 0x1p-6f || std::frexp(weight, &exponent) != 0.5f)) return false;
  }
  return true;
}

// exp by Eigen, as vectors. Below the normal numbers Eigen only returns its least result. select() would make
// this a loop of scalars.
void exponentiate(auto x) {
  constexpr float least = -87, of_least = 0x1p-125f; // e^-87 is normal
  x = x.max(least).exp();
  for (float& p : x) p = p > of_least ? p : 0;
}

// Scores of blocks of keys, for rows that share them. As exact() kept them; else in fp32 where that leaves P right to
// four digits, which is more than sums of noise need.
class Scores {
 public:
  Scores(OwnerBlocks& owner, std::span<const QueryHead> rows, const KeptScores* kept)
      : owner_(owner), gather_(owner.gather()), rows_(rows), kept_(kept) {
    if (kept_ != nullptr) return;
    q_ = gather_.queries<float>(rows);
    largest_query_ = (q_.factor.asDiagonal() * q_.values).rowwise().norm().maxCoeff();
  }

  // Calls use(r, scores, offset) for each row: its scores are `scores` + offset. There may be fewer
  // than `count`: the row sees none of the others.
  template <class Use> void of_block(int first, int count, Use use) const {
    if (kept_ != nullptr) return of_kept(first, count, use);
    constexpr float largest = 512; // |q| |k|: half an ulp of it is 2^-16
    const Problem& problem = gather_.problem();
    AuditKeyBlock storage;
    const auto& [k, norm] = owner_.keys(first, count, storage);
    if (problem.softmax_scale() * largest_query_ * norm < largest)
      return of_rows(score_block(problem, q_, k), use);
    of_rows(
        score_block(problem, gather_.queries<double>(rows_), gather_.keys<double>(rows_[0], first, count)),
        use);
  }

 private:
  template <class Scalar, class Use> static void of_rows(const Matrix<Scalar>& scores, Use use) {
    for (Eigen::Index r = 0; r < scores.rows(); ++r) use(r, scores.row(r).array(), 0.0);
  }
  template <class Use> void of_kept(int first, int count, Use use) const {
    for (size_t r = 0; r < rows_.size(); ++r) {
      const std::span<const float> scores = kept_->of(rows_[r].place);
      const auto begin = std::min(static_cast<size_t>(first), scores.size());
      const auto keys = std::min(static_cast<size_t>(count), scores.size() - begin);
      use(static_cast<Eigen::Index>(r),
          Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>(scores.data() + begin,
                                                                   static_cast<Eigen::Index>(keys)),
          kept_->largest(rows_[r].place));
    }
  }

  OwnerBlocks& owner_;
  const Gather& gather_;
  std::span<const QueryHead> rows_;
  const KeptScores* kept_;
  Gathered<float> q_;
  float largest_query_ = 0;
};

} // namespace

AuditWeights audit_weights(OwnerBlocks& owner, std::span<const QueryHead> rows, const SharedKeys& shared,
                           const AttentionRows& exact, const ProbabilityRounding& rounding) {
  const Gather& gather = owner.gather();
  const double cap = gather.problem().soft_cap;
  const auto count = static_cast<Eigen::Index>(rows.size());
  const Scores scores(owner, rows, exact.scores.get());
  const auto lse = [&](size_t row) { return exact.lse[rows[row].place]; };
  AuditWeights weights;
  weights.p = zeros_in_unseen_blocks(count, shared);
  weights.slope = zeros_in_unseen_blocks(count, shared);
  weights.scale.assign(rows.size(), 1);
  const auto fill = [&](const auto& wanted) {
    for_each_seen_block(shared, [&](int first, int block) {
      scores.of_block(first, block, [&]<class OfRow>(Eigen::Index r, const OfRow& of_row, double offset) {
        const auto row = static_cast<size_t>(r);
        if (!wanted(row)) return;
        const bool sees_any = std::isfinite(lse(row));
        const Eigen::Index keys = sees_any ? of_row.size() : 0;
        auto p = weights.p.row(r).segment(first, block), slope = weights.slope.row(r).segment(first, block);
        p.tail(block - keys).setZero();
        slope.tail(block - keys).setZero();
        if (!sees_any) return;
        using Scalar = typename OfRow::Scalar;
        const auto unit = static_cast<Scalar>(lse(row) - std::log(weights.scale[row]) - offset);
        p.head(keys) = (of_row - unit).template cast<float>();
        exponentiate(p.head(keys).array());
        slope.head(keys) = (of_row + static_cast<Scalar>(offset)).template cast<float>();
        if (gather.scores_hide_keys())
          for (float& of_key : slope.head(keys)) of_key = std::isinf(of_key) ? 0 : of_key;
        shared.visibility[row].for_each_unseen(first, first + keys, [&](int64_t begin, int64_t end) {
          p.segment(begin - first, end - begin).setZero();
          slope.segment(begin - first, end - begin).setZero();
        });
      });
    });
  };
  fill([](size_t) { return true; });
  bool any_small = false;
  for (Eigen::Index r = 0; r < count; ++r) {
    constexpr float small = 0x1p-20f; // of the denominator
    constexpr int largest_exponent = 120;
    const float of_keys = weights.p.row(r).sum();
    if (!(of_keys < small) || !std::isfinite(lse(static_cast<size_t>(r)))) continue;
    weights.scale[static_cast<size_t>(r)] =
        std::ldexp(1.0, of_keys > 0 ? std::min(largest_exponent, -std::ilogb(of_keys)) : largest_exponent);
    any_small = true;
  }
  if (any_small) fill([&](size_t row) { return weights.scale[row] != 1; });
  if (cap > 0) // d score / d log(scale) of cap tanh(x / cap)
    weights.slope = weights.slope.unaryExpr([&](float score) {
      const double tanh = std::clamp(score / cap, -1 + 1e-15, 1 - 1e-15);
      return static_cast<float>(cap * std::atanh(tanh) * (1 - tanh * tanh));
    });
  const std::vector<float> copies = gather.copies(rows[0], shared.keys);
  weights.copies = Vector<float>::Ones(shared.keys);
  if (!copies.empty()) weights.copies = Eigen::Map<const Vector<float>>(copies.data(), shared.keys);
  if (rounding.weighted)
    weights.relative = relative_weights(gather, rows[0], weights.p, shared, rounding.unit_follows);
  else
    weights.relative.resize(count, shared.keys);
  for (Eigen::Index r = 0; r < count; ++r) {
    auto relative = weights.relative.row(r);
    if (!rounding.weighted) {
      const float largest = shared.keys > 0 ? weights.p.row(r).maxCoeff() : 0;
      relative = weights.p.row(r) / (largest > 0 ? largest : 1);
    }
    weights.exact.push_back(rounds_exactly(relative));
  }
  return weights;
}

} // namespace fmha950::reference::FMHA950_SIMD
