#pragma once
// MX: the scores that 32 columns of Q and K make, as parts of their own.

#include "impl_reference/audit/ranges.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class AuditKeyBlocks {
 public:
  AuditKeyBlocks(const Gather& gather, std::span<const QueryHead> heads, const AuditRows& rows,
                 float normal_bound, int keys)
      : gather_(gather), owner_(heads[0]), queries_(gather.queries<float>(heads)) {
    const PartList list{PartKind::block_scores, range_ends(keys, tile_keys), 1, {}, {}};
    for (Eigen::Index first = 0; first < queries_.values.cols(); first += block_columns)
      ranges_.emplace_back(rows, normal_bound, std::vector{list}, std::vector<size_t>(heads.size(), 0));
  }

  void add(const AuditBlock& block) {
    const Gathered<float> k = gather_.keys<float>(owner_, block.first, block.count());
    for (size_t b = 0; b < ranges_.size(); ++b) {
      const auto first = static_cast<Eigen::Index>(b) * block_columns;
      const Matrix<float> slope =
          gather_.problem().softmax_scale() *
          (queries_.factor.asDiagonal() * queries_.values.middleCols(first, block_columns) *
           (k.factor.asDiagonal() * k.values.middleCols(first, block_columns)).transpose());
      ranges_[b].add(block, slope);
    }
  }

  PartList finish() {
    PartList all{PartKind::block_scores, {}, static_cast<int>(ranges_.size()), {}, {}};
    for (size_t b = 0; b < ranges_.size(); ++b) {
      const PartList list = std::move(ranges_[b].finish().front());
      all.ends = list.ends;
      all.sums.resize(list.ends.size() * ranges_.size());
      for (size_t i = 0; i < list.ends.size(); ++i) all.sums[i * ranges_.size() + b] = list.sums[i];
    }
    return all;
  }

 private:
  static constexpr int tile_keys = 64, block_columns = 32;
  const Gather& gather_;
  QueryHead owner_;
  Gathered<float> queries_;
  std::vector<AuditRanges> ranges_; // of each block of columns
};

} // namespace fmha950::reference::FMHA950_SIMD
