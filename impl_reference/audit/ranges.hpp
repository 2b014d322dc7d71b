#pragma once
// The audit's sums over ranges of keys: tiles, pages, segments, score scales. A range's contribution to a row
// is a vector, which is added up block by block of V: a range may go on in the next block.

#include "impl_reference/audit/block.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// Makes ends of ranges of `width` keys.
std::vector<int> range_ends(int keys, int width);

class AuditRanges {
 public:
  // Row r counts in lists[list_of_row[r]]. The lists are of one kind and have the same ends; their sums are
  // made here.
  AuditRanges(const AuditRows& rows, float normal_bound, std::vector<PartList> lists,
              std::vector<size_t> list_of_row);

  // Whether sums over this one's ranges are sums of sums over `finer`'s.
  bool consists_of(const AuditRanges& finer) const;
  // From now on they are taken from there, not from keys. Both stay where they are.
  void take_from(AuditRanges& finer);
  // Blocks ascend; those that no row sees may be left out.
  // `slope`: the block's, or that of some of K's columns.
  void add(const AuditBlock& block) { add(block, block.slope); }
  void add(const AuditBlock& block, const MatrixView& slope);
  std::vector<PartList> finish();

 private:
  struct Terms { // of a row, in the range under way
    float got = 0, plain = 0, own = 0, squares = 0, subnormal = 0, weight = 0;
    void operator+=(const Terms& more);
  };
  void add_part(const AuditBlock& block, const MatrixView& slope, int begin, int end);
  void close();
  void take_range(const AuditRanges& finer);
  void flush();
  bool of_scores() const;

  const AuditRows& rows_;
  float normal_bound_;
  std::vector<PartList> lists_;
  std::vector<size_t> list_of_row_;
  size_t range_ = 0;           // under way
  bool any_ = false;           // something was added to it
  Matrix<float> contribution_; // [rows, D]
  std::vector<Terms> terms_;
  AuditRanges* finer_ = nullptr;
  std::vector<AuditRanges*> coarser_;
};

} // namespace fmha950::reference::FMHA950_SIMD
