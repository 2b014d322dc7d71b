#pragma once
// Keys and values that the rows of an owner share: those of one request and KV head, or of one token's list. They
// are made once for all chunks of the owner's rows, where they are not too many.

#include "impl_reference/audit/alignment.hpp"

#include <mutex>

namespace fmha950::reference::FMHA950_SIMD {

// RMS of each column of the values that `row` shares, 1 for one that is 0.
inline Vector<float> column_scale(const Gather& gather, const QueryHead& row, int keys) {
  Eigen::RowVectorXd squares = Eigen::RowVectorXd::Zero(gather.problem().value_columns());
  for (int first = 0; first < keys; first += key_block) {
    const Gathered<float> v = gather.values<float>(row, first, std::min(key_block, keys - first));
    const Matrix<float> values = v.factor.asDiagonal() * v.values;
    squares += values.cast<double>().cwiseAbs2().colwise().sum();
  }
  const Vector<float> scale = (squares / std::max(keys, 1)).cwiseSqrt().transpose().cast<float>();
  return (scale.array() > 0).select(scale, 1.0f);
}

// Blocks of what an owner shares, each made by the thread that asks first.
template <class Block> class SharedBlocks {
 public:
  explicit SharedBlocks(size_t count) : made_(count), blocks_(count) {}
  template <class Make> const Block& of(size_t index, const Make& make) {
    std::call_once(made_[index], [&] { blocks_[index] = make(); });
    return blocks_[index];
  }

 private:
  std::vector<std::once_flag> made_;
  std::vector<Block> blocks_;
};

struct AuditKeyBlock {
  Gathered<float> keys;
  float largest_norm = 0;
};

// Values whose columns are divided by their RMS ("whitened").
struct AuditValueBlock {
  Matrix<float> values; // [keys, D]
  // Squares, of whitened values, and of those as they are over the largest column's RMS.
  Eigen::Array<float, 1, Eigen::Dynamic> norms, plain_norms;
};

// `relative_scale`: each column's RMS over the largest one.
inline AuditValueBlock value_block(Matrix<float> values, const Vector<float>& relative_scale) {
  AuditValueBlock block{.values = std::move(values), .norms = {}, .plain_norms = {}};
  block.norms = block.values.rowwise().squaredNorm().transpose();
  block.plain_norms = (block.values * relative_scale.asDiagonal()).rowwise().squaredNorm().transpose();
  return block;
}

// `keys`: how many the owner has. A block that is not kept is made anew, in the storage that the caller gives.
class OwnerBlocks {
 public:
  OwnerBlocks(const Gather& gather, const QueryHead& row, const Vector<float>& column_scale, int keys)
      : gather_(gather), row_(row), scale_(column_scale), inverse_scale_(scale_.cwiseInverse()),
        relative_scale_(scale_ / scale_.maxCoeff()), keys_(keys), kept_(kept_blocks(keys, scale_.size())),
        key_blocks_(kept_), values_(kept_), rotated_(kept_) {}

  const Gather& gather() const { return gather_; }
  const Vector<float>& scale() const { return scale_; }
  const Vector<float>& relative_scale() const { return relative_scale_; }

  const AuditKeyBlock& keys(int first, int count, AuditKeyBlock& storage) {
    return block(key_blocks_, first, count, storage, [&] {
      AuditKeyBlock block{gather_.keys<float>(row_, first, count)};
      block.largest_norm = (block.keys.factor.asDiagonal() * block.keys.values).rowwise().norm().maxCoeff();
      return block;
    });
  }
  const AuditValueBlock& values(int first, int count, AuditValueBlock& storage) {
    return block(values_, first, count, storage,
                 [&] { return value_block(values_of(first, count), relative_scale_); });
  }
  // These along the axes of a random basis.
  const Matrix<float>& rotated_values(int first, int count, Matrix<float>& storage) {
    return block(rotated_, first, count, storage, [&] {
      AuditValueBlock made;
      return rotated(values(first, count, made).values);
    });
  }
  Matrix<float> values_of(int first, int count) const {
    const Gathered<float> v = gather_.values<float>(row_, first, count);
    return v.factor.asDiagonal() * v.values * inverse_scale_.asDiagonal();
  }

 private:
  static size_t kept_blocks(int keys, Eigen::Index columns) {
    constexpr int64_t kinds = 3;
    const int64_t most = audit_limits::most_kept / (kinds * columns * key_block);
    return static_cast<size_t>(std::min<int64_t>(most, (keys + key_block - 1) / key_block));
  }

  // The last block of a chunk may be shorter than the owner's.
  template <class Block, class Make>
  const Block& block(SharedBlocks<Block>& kept, int first, int count, Block& storage, const Make& make) {
    const auto index = static_cast<size_t>(first / key_block);
    if (index >= kept_ || count != std::min(key_block, keys_ - first)) return storage = make();
    return kept.of(index, make);
  }

  const Gather& gather_;
  QueryHead row_;
  Vector<float> scale_, inverse_scale_, relative_scale_;
  int keys_;
  size_t kept_;
  SharedBlocks<AuditKeyBlock> key_blocks_;
  SharedBlocks<AuditValueBlock> values_;
  SharedBlocks<Matrix<float>> rotated_;
};

} // namespace fmha950::reference::FMHA950_SIMD
