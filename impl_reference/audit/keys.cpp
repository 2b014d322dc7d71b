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

// Sums over rows, of all keys of a block at a time.
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
    plain += weight * block.plain.row(r).array();
    got += weight * block.got.row(r).array();
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

AuditColumns::AuditColumns(int keys, int columns)
    : list_{PartKind::block_values, range_ends(keys, mx_block), columns, {}, {}} {
  list_.sums.resize(list_.ends.size() * static_cast<size_t>(columns));
}

void AuditColumns::add(const AuditRows& rows, const AuditBlock& block, // whose keys begin with a range
                       const Matrix<float>& whole, const Matrix<float>& loud) {
  const Eigen::Index heads = block.p.rows();
  const Vector<float> of_loud = loud.cwiseAbs2().colwise().sum().transpose();
  const auto along_loud = [&](Eigen::Index column) { return loud.rows() > 0 ? of_loud(column) : 0.0f; };
  for (int begin = 0; begin < block.count(); begin += mx_block) {
    const int keys = std::min(mx_block, block.count() - begin);
    const auto p = block.p.middleCols(begin, keys);
    const auto values = whole.middleRows(begin, keys);
    const Matrix<float> squares = values.cwiseAbs2();
    const Matrix<float> contribution = p * values;
    const Matrix<float> bound = p.cwiseProduct(block.bound.middleCols(begin, keys)).cwiseAbs2() * squares;
    const auto range = static_cast<size_t>((block.first + begin) / mx_block);
    for (Eigen::Index column = 0; column < contribution.cols(); ++column) {
      PartSums& sums = list_.sums[range * static_cast<size_t>(list_.columns) + static_cast<size_t>(column)];
      for (Eigen::Index r = 0; r < heads; ++r) {
        double heard = 1 - double(along_loud(column)); // of a column's unit vector, across all directions
        for (const Matrix<float>& direction : rows.directions)
          heard -= double(direction(r, column)) * direction(r, column);
        if (heard < least_heard) continue;
        const AuditRow& row = rows.rows[static_cast<size_t>(r)];
        const double noise = std::max({double(rows.column_noise(r, column)), 1e-3 / row.weight, 1e-37});
        const double weight = heard / (noise * (1 + 4 / row.noise.freedom)), c = contribution(r, column);
        sums +=
            {.information = weight * heard * c * c,
             .own = weight * weight * c * c * bound(r, column) / 3, // an error is anywhere within its bound
             .floor = weight * heard * std::fabs(c) * std::sqrt(bound(r, column)),
             .plain = weight * c * rows.errors(heads + r, column),
             .got = weight * c * rows.errors(r, column)};
      }
    }
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
