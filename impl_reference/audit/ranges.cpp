#include "impl_reference/audit/ranges.hpp"

// Sums over keys may be taken in any order, so that they can be vectors.
#pragma clang fp reassociate(on)

namespace fmha950::reference::FMHA950_SIMD {

std::vector<int> range_ends(int keys, int width) {
  std::vector<int> ends;
  for (int first = 0; first < keys; first += width) ends.push_back(std::min(keys, first + width));
  return ends;
}

AuditRanges::AuditRanges(const AuditRows& rows, float normal_bound, std::vector<PartList> lists,
                         std::vector<size_t> list_of_row)
    : rows_(rows), normal_bound_(normal_bound), lists_(std::move(lists)),
      list_of_row_(std::move(list_of_row)),
      contribution_(Matrix<float>::Zero(rows.weights.p.rows(), rows.errors.cols())), terms_(rows.count()) {
  for (PartList& list : lists_) {
    list.sums.resize(list.ends.size());
    list.lse.resize(list.ends.size());
  }
}

bool AuditRanges::of_scores() const {
  const PartKind kind = lists_.front().kind;
  return kind == PartKind::tile_scores || kind == PartKind::page_scores || kind == PartKind::all_scores ||
         kind == PartKind::block_scores;
}

bool AuditRanges::consists_of(const AuditRanges& finer) const {
  const std::vector<int>&own = lists_.front().ends, &other = finer.lists_.front().ends;
  return of_scores() == finer.of_scores() && own.size() < other.size() && std::ranges::includes(other, own);
}

void AuditRanges::take_from(AuditRanges& finer) {
  finer_ = &finer;
  finer.coarser_.push_back(this);
}

void AuditRanges::take_range(const AuditRanges& finer) {
  if (finer.any_) {
    any_ = true;
    contribution_ += finer.contribution_;
    for (size_t r = 0; r < terms_.size(); ++r) terms_[r] += finer.terms_[r];
  }
  if (finer.lists_.front().ends[finer.range_] == lists_.front().ends[range_]) close();
}

void AuditRanges::add(const AuditBlock& block, const MatrixView& slope) {
  if (finer_ != nullptr) return;
  const std::vector<int>& ends = lists_.front().ends;
  for (int begin = block.first; begin < block.last() && range_ < ends.size();) {
    if (ends[range_] <= begin) {
      close();
      continue;
    }
    const int end = std::min(block.last(), ends[range_]);
    add_part(block, slope, begin - block.first, end - block.first);
    begin = end;
  }
}

void AuditRanges::add_part(const AuditBlock& block, const MatrixView& slope, int begin, int end) {
  any_ = true;
  const bool scores = of_scores();
  const int keys = end - begin;
  const float* const copies = rows_.weights.copies.data() + block.first;
  if (scores)
    contribution_.noalias() += block.p.middleCols(begin, keys).cwiseProduct(slope.middleCols(begin, keys)) *
                               block.values.middleRows(begin, keys);
  else
    contribution_.noalias() += block.p.middleCols(begin, keys) * block.values.middleRows(begin, keys);
  for (Eigen::Index r = 0; r < contribution_.rows(); ++r) {
    Terms sum;
    const float *const p = block.p.row(r).data(), *const slopes = slope.row(r).data(),
                       *const squares = block.square.row(r).data(),
                       *const deviation = block.deviation.row(r).data(),
                       *const bound = block.bound.row(r).data(), *const got = block.got().row(r).data(),
                       *const plain = block.plain().row(r).data();
    for (int j = begin; j < end; ++j) {
      const float factor = scores ? slopes[j] : 1;
      const float square = std::fabs(factor) * squares[j];
      sum.got += factor * got[j];
      sum.plain += factor * plain[j];
      sum.own += deviation[j] * square * deviation[j] * square;
      sum.squares += square * square;
      sum.subnormal += std::max(0.0f, bound[j] - copies[j] * normal_bound_) * square;
      sum.weight += factor * p[j];
    }
    terms_[static_cast<size_t>(r)] += sum;
  }
}

void AuditRanges::Terms::operator+=(const Terms& more) {
  got += more.got;
  plain += more.plain;
  own += more.own;
  squares += more.squares;
  subnormal += more.subnormal;
  weight += more.weight;
}

void AuditRanges::close() {
  for (AuditRanges* list : coarser_) list->take_range(*this);
  for (size_t r = 0; any_ && r < terms_.size(); ++r) {
    const auto index = static_cast<Eigen::Index>(r);
    const AuditRow& row = rows_.rows[r];
    PartList& list = lists_[list_of_row_[r]];
    const Terms& terms = terms_[r];
    const double across = across_directions(rows_, index, contribution_.row(index));
    const double bound = row.exact ? 0 : normal_bound_;
    if (across > 0)
      list.sums[range_] += {.information = row.weight * across,
                            .own = row.weight * row.weight * terms.own,
                            .floor = row.weight * (bound * std::sqrt(terms.squares) + terms.subnormal),
                            .plain = row.weight * terms.plain,
                            .got = row.weight * terms.got};
    list.lse[range_] += lse_sums(row, terms.weight);
  }
  if (any_) {
    contribution_.setZero();
    std::ranges::fill(terms_, Terms{});
  }
  any_ = false;
  ++range_;
}

void AuditRanges::flush() {
  if (finer_ != nullptr) finer_->flush();
  if (any_) close();
}

std::vector<PartList> AuditRanges::finish() {
  flush();
  return std::move(lists_);
}

} // namespace fmha950::reference::FMHA950_SIMD
