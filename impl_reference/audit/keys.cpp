#include "impl_reference/audit/keys.hpp"

#include "impl_reference/audit/ranges.hpp"

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr int mx_block = 32;

} // namespace

AuditKeys::AuditKeys(int keys) : list_{PartKind::key, range_ends(keys, 1), 1, {}, {}} {
  list_.sums.resize(list_.ends.size());
  list_.lse.resize(list_.ends.size());
}

// Adds sums over rows, for all keys of a block at a time.
void AuditKeys::add(const AuditRows& rows, const AuditBlock& block) {
  using Sum = Eigen::Array<float, 1, Eigen::Dynamic>;
  const Eigen::Index count = block.p.cols();
  Sum information = Sum::Zero(count), own = information, floor = information, plain = information,
      got = information;
  Sum square = information, first = information, lse_floor = information, lse_plain = information,
      lse_got = information;
  for (Eigen::Index r = 0; r < block.p.rows(); ++r) {
    const AuditRow& row = rows.rows[static_cast<size_t>(r)];
    const auto weight = static_cast<float>(row.weight), lse_weight = static_cast<float>(row.lse_weight);
    const auto p = block.p.row(r).array();
    const Sum of_row = weight * block.square.row(r).array();
    information += of_row;
    own += (block.deviation.row(r).array() * of_row).square();
    floor += block.bound.row(r).array() * of_row;
    plain += weight * block.plain().row(r).array();
    got += weight * block.got().row(r).array();
    if (lse_weight == 0) continue;
    square += lse_weight * p.square();
    first += lse_weight * p;
    lse_floor += lse_weight * static_cast<float>(row.lse_floor) * p;
    lse_plain += lse_weight * static_cast<float>(row.lse_plain) * p;
    lse_got += lse_weight * static_cast<float>(row.lse_got) * p;
  }
  for (Eigen::Index j = 0; j < count; ++j) {
    const auto key = static_cast<size_t>(block.first + j);
    list_.sums[key] += {information(j), own(j), floor(j), plain(j), got(j)};
    list_.lse[key] += {square(j), first(j), lse_floor(j), lse_plain(j), lse_got(j)};
  }
}

PartList AuditKeys::finish() { return std::move(list_); }

AuditColumns::AuditColumns(int keys, const AuditRows& rows, const Matrix<float>& shared_directions)
    : list_{
          PartKind::block_values, range_ends(keys, mx_block), static_cast<int>(rows.errors.cols()), {}, {}} {
  list_.sums.resize(list_.ends.size() * static_cast<size_t>(list_.columns));
  const Eigen::Index heads = rows.errors.rows() / 2;
  const Eigen::RowVectorXd shared =
      shared_directions.rows() > 0
          ? Eigen::RowVectorXd(shared_directions.cwiseAbs2().colwise().sum().cast<double>())
          : Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(list_.columns));
  heard_ = (1 - shared.array()).replicate(heads, 1);
  for (const Matrix<float>& direction : rows.directions)
    heard_ -= direction.cwiseAbs2().cast<double>().array();
  heard_ = (heard_ < double{least_heard}).select(0, heard_);
  weight_ = heard_;
  for (Eigen::Index r = 0; r < heads; ++r) {
    const AuditRow& row = rows.rows[static_cast<size_t>(r)];
    const auto noise =
        rows.column_noise.row(r).array().cast<double>().max(std::max(1e-3 / row.weight, 1e-37));
    weight_.row(r) /= noise * (1 + 4 / row.noise.terms);
  }
  got_ = weight_ * rows.errors.topRows(heads).cast<double>().array();
  plain_ = weight_ * rows.errors.bottomRows(heads).cast<double>().array();
}

void AuditColumns::add(const AuditBlock& block, const Matrix<float>& whole) { // keys begin with a range
  for (int begin = 0; begin < block.count(); begin += mx_block) {
    const int keys = std::min(mx_block, block.count() - begin);
    const auto p = block.p.middleCols(begin, keys);
    const auto values = whole.middleRows(begin, keys);
    const Matrix<float> squares = values.cwiseAbs2(), contribution = p * values,
                        bounds = p.cwiseProduct(block.bound.middleCols(begin, keys)).cwiseAbs2() * squares;
    const Numbers c = contribution.array().cast<double>(), bound = bounds.array().cast<double>();
    const Eigen::RowVectorXd information = (weight_ * heard_ * c.square()).colwise().sum();
    // An error is anywhere within its bound.
    const Eigen::RowVectorXd own = ((weight_ * c).square() * bound / 3).colwise().sum();
    const Eigen::RowVectorXd floor = (weight_ * heard_ * c.abs() * bound.sqrt()).colwise().sum();
    const Eigen::RowVectorXd plain = (plain_ * c).colwise().sum(), got = (got_ * c).colwise().sum();
    const auto range = static_cast<size_t>((block.first + begin) / mx_block);
    for (Eigen::Index column = 0; column < list_.columns; ++column)
      list_.sums[range * static_cast<size_t>(list_.columns) + static_cast<size_t>(column)] +=
          {information(column), own(column), floor(column), plain(column), got(column)};
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
