#pragma once
// The values that the rows of a chunk share, as the audit looks at them: whitened, and without a few directions
// that are too loud to hear anything else in.

#include "impl_reference/audit/owner_blocks.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// If less than this share of a contribution's square is left across all directions, the remainder says more
// about the removed directions. It is ignored.
inline constexpr float least_heard = 0.01f;

// Takes the components along orthonormal rows out of each row of `vectors`. What fp32 leaves of a row that
// lies in them is no value of its own.
inline void take_out(const Matrix<float>& directions, Matrix<float>& vectors) {
  constexpr float nothing = 1e-10f; // of a square
  if (directions.rows() == 0) return;
  const Vector<float> before = vectors.rowwise().squaredNorm();
  const Matrix<float> components = vectors * directions.transpose();
  vectors.noalias() -= components * directions;
  for (Eigen::Index r = 0; r < vectors.rows(); ++r)
    if (vectors.row(r).squaredNorm() <= nothing * before(r)) vectors.row(r).setZero();
}

class AuditValues {
 public:
  explicit AuditValues(OwnerBlocks& owner) : owner_(owner) {}

  // A block of for_each_seen_block, until the next call.
  const AuditValueBlock& block(int first, int count) {
    const AuditValueBlock& whole = owner_.values(first, count, whole_);
    if (directions_.rows() == 0) return whole;
    return block_ = value_block(across_directions(whole.values), owner_.relative_scale());
  }
  // The block, along the axes of a random basis.
  const Matrix<float>& rotated_block(int first, int count) {
    if (directions_.rows() == 0) return owner_.rotated_values(first, count, rotated_);
    return rotated_ = rotated(block(first, count).values);
  }
  // The same values with their components along the directions.
  const Matrix<float>& whole(int first, int count) { return owner_.values(first, count, whole_).values; }
  // The value of any key, also of one that no row sees.
  Matrix<float> of_key(int key) const { return across_directions(owner_.values_of(key, 1)); }
  // From now on blocks are without these directions.
  void take_out_directions(const Matrix<float>& directions) { directions_ = directions; }
  const Matrix<float>& directions() const { return directions_; }
  OwnerBlocks& owner() { return owner_; }

 private:
  // If a value almost equals one of the directions, only fp32's rounding is left of it: set to zero.
  Matrix<float> across_directions(Matrix<float> values) const {
    if (directions_.rows() == 0) return values;
    const Vector<float> whole = values.rowwise().squaredNorm();
    take_out(directions_, values);
    for (Eigen::Index j = 0; j < values.rows(); ++j)
      if (values.row(j).squaredNorm() < least_heard * whole(j)) values.row(j).setZero();
    return values;
  }

  OwnerBlocks& owner_;
  AuditValueBlock block_, whole_; // the last ones
  Matrix<float> rotated_;
  Matrix<float> directions_; // [directions, D], orthonormal
};

} // namespace fmha950::reference::FMHA950_SIMD
