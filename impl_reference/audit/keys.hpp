#pragma once
// The audit's sums of single keys, and of MX blocks: 32 keys of one column of V, 64 keys of 32 columns of K.

#include "impl_reference/audit/block.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class AuditKeys {
 public:
  explicit AuditKeys(int keys);
  void add(const AuditRows& rows, const AuditBlock& block);
  PartList finish();

 private:
  PartList list_;
};

// MX: V's scales, per 32 keys and column.
class AuditColumns {
 public:
  AuditColumns(int keys, const AuditRows& rows, const Matrix<float>& shared_directions);
  // `whole`: the block's values with what they have along directions.
  void add(const AuditBlock& block, const Matrix<float>& whole);
  PartList finish() { return std::move(list_); }

 private:
  using Numbers = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic>;
  PartList list_;
  Numbers heard_;  // [rows, D]: of a column's unit vector across the row's directions; 0 if next to nothing
  Numbers weight_; // [rows, D]
  Numbers got_, plain_; // errors times weight
};

} // namespace fmha950::reference::FMHA950_SIMD
