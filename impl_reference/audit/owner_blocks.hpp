#pragma once
// Keys and values that the rows of an owner share: those of one request and KV head, or of one token's list. They
// are kept while chunks of the owner's rows are audited one after the other, where they are not too many.

#include "impl_reference/attention/scores.hpp"

#include <map>

namespace fmha950::reference::FMHA950_SIMD {

// RMS of each column of the values that `row` shares, 1 for one that is 0.
template <class Gather> Vector<float> column_scale(const Gather& gather, const QueryHead& row, int keys) {
  Eigen::RowVectorXd squares = Eigen::RowVectorXd::Zero(gather.problem().head_dim);
  for (int first = 0; first < keys; first += key_block) {
    const Gathered<float> v = gather.template values<float>(row, first, std::min(key_block, keys - first));
    const Matrix<float> values = v.factor.asDiagonal() * v.values;
    squares += values.template cast<double>().cwiseAbs2().colwise().sum();
  }
  const Vector<float> scale = (squares / std::max(keys, 1)).cwiseSqrt().transpose().cast<float>();
  return (scale.array() > 0).select(scale, 1.0f);
}

// Of one thread. What it returns is valid until its next call.
template <class Gather> class OwnerBlocks {
 public:
  OwnerBlocks(const Gather& gather, const QueryHead& row, Vector<float> column_scale)
      : gather_(gather), row_(row), scale_(std::move(column_scale)), inverse_scale_(scale_.cwiseInverse()) {}

  const Gather& gather() const { return gather_; }
  const Vector<float>& scale() const { return scale_; }

  struct Keys {
    Gathered<float> gathered;
    float largest_norm = 0;
  };
  // A block of for_each_seen_block.
  const Keys& keys(int first, int count) {
    return look_up(keys_, other_keys_, first, count, [&] {
      Keys keys{gather_.template keys<float>(row_, first, count)};
      const Gathered<float>& k = keys.gathered;
      keys.largest_norm = (k.factor.asDiagonal() * k.values).rowwise().norm().maxCoeff();
      return keys;
    });
  }
  // Likewise; columns are divided by their RMS ("whitened").
  const Matrix<float>& values(int first, int count) {
    return look_up(values_, other_values_, first, count, [&] { return values_of(first, count); });
  }
  Matrix<float> values_of(int first, int count) const {
    const Gathered<float> v = gather_.template values<float>(row_, first, count);
    return v.factor.asDiagonal() * v.values * inverse_scale_.asDiagonal();
  }

 private:
  // Blocks by their first key; the last one of a chunk may be shorter than that of another, and takes its place.
  template <class Block> using Blocks = std::map<int, std::pair<int, Block>>;

  template <class Block, class Make>
  const Block& look_up(Blocks<Block>& kept, Block& other, int first, int count, const Make& make) {
    constexpr int64_t most_kept = int64_t{1} << 25; // numbers
    const auto found = kept.find(first);
    if (found != kept.end() && found->second.first == count) return found->second.second;
    const int64_t numbers = int64_t{count} * scale_.size();
    if (found == kept.end() && kept_ + numbers > most_kept) return other = make();
    if (found == kept.end())
      kept_ += numbers;
    else
      kept_ += numbers - int64_t{found->second.first} * scale_.size();
    return kept.insert_or_assign(first, std::pair{count, make()}).first->second.second;
  }

  const Gather& gather_;
  QueryHead row_;
  Vector<float> scale_, inverse_scale_;
  int64_t kept_ = 0;
  Blocks<Keys> keys_;
  Blocks<Matrix<float>> values_;
  Keys other_keys_; // the last one that is not kept
  Matrix<float> other_values_;
};

} // namespace fmha950::reference::FMHA950_SIMD
