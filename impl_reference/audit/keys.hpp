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
  AuditColumns(int keys, int columns);
  // `values`: of the block's keys, whole; `loud`: the directions that blocks are without.
  void add(const AuditRows& rows, const AuditBlock& block, const Matrix<float>& values,
           const Matrix<float>& loud);
  PartList finish() { return std::move(list_); }

 private:
  PartList list_;
};

} // namespace fmha950::reference::FMHA950_SIMD
