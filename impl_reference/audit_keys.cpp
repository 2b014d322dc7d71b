#include "impl_reference/audit_keys.hpp"

#include "impl_reference/audit_ranges.hpp"

namespace fmha950::reference {
namespace {

constexpr int mx_block = 32;

} // namespace

AuditKeys::AuditKeys(int keys) : list_{PartKind::key, range_ends(keys, 1), 1, {}, {}} {
  list_.sums.resize(list_.ends.size());
  list_.lse.resize(list_.ends.size());
}

void AuditKeys::add(const AuditRows& rows, const AuditBlock& block) {
  struct Terms {
    float information = 0, own = 0, floor = 0, plain = 0, got = 0, square = 0, first = 0, lse_plain = 0, lse_got = 0;
  };
  std::vector<Terms> terms(static_cast<size_t>(block.count()));
  for (Eigen::Index r = 0; r < block.p.rows(); ++r) {
    const AuditRow& row = rows.rows[static_cast<size_t>(r)];
    const auto weight = static_cast<float>(row.weight), lse_weight = static_cast<float>(row.lse_weight);
    const auto lse_got = static_cast<float>(row.lse_got), lse_plain = static_cast<float>(row.lse_plain);
    for (Eigen::Index j = 0; j < block.p.cols(); ++j) {
      Terms& sum = terms[static_cast<size_t>(j)];
      const float information = weight * block.square(r, j), p = block.p(r, j);
      const float own = block.deviation(r, j) * information;
      sum.information += information;
      sum.own += own * own;
      sum.floor += block.bound(r, j) * information;
      sum.plain += weight * block.plain(r, j);
      sum.got += weight * block.got(r, j);
      sum.square += lse_weight * p * p;
      sum.first += lse_weight * p;
      sum.lse_plain += lse_weight * p * lse_plain;
      sum.lse_got += lse_weight * p * lse_got;
    }
  }
  for (size_t j = 0; j < terms.size(); ++j) {
    const Terms& sum = terms[j];
    const size_t key = static_cast<size_t>(block.first) + j;
    list_.sums[key] += {sum.information, sum.own, sum.floor, sum.plain, sum.got};
    list_.lse[key] += {sum.square, sum.first, sum.lse_plain, sum.lse_got};
  }
}

PartList AuditKeys::finish() { return std::move(list_); }

AuditColumns::AuditColumns(int keys, int columns)
    : list_{PartKind::block_values, range_ends(keys, mx_block), columns, {}, {}} {
  list_.sums.resize(list_.ends.size() * static_cast<size_t>(columns));
}

void AuditColumns::add(const AuditRows& rows, const AuditBlock& block) { // whose keys begin with a range
  const Eigen::Index heads = block.p.rows();
  for (int begin = 0; begin < block.count(); begin += mx_block) {
    const int keys = std::min(mx_block, block.count() - begin);
    const auto p = block.p.middleCols(begin, keys);
    const auto values = block.values.middleRows(begin, keys);
    const Matrix<float> squares = values.cwiseAbs2();
    const Matrix<float> contribution = p * values;
    const Matrix<float> own = p.cwiseProduct(block.deviation.middleCols(begin, keys)).cwiseAbs2() * squares;
    const Matrix<float> bound = p.cwiseProduct(block.bound.middleCols(begin, keys)).cwiseAbs2() * squares;
    const auto range = static_cast<size_t>((block.first + begin) / mx_block);
    for (Eigen::Index column = 0; column < contribution.cols(); ++column) {
      PartSums& sums = list_.sums[range * static_cast<size_t>(list_.columns) + static_cast<size_t>(column)];
      for (Eigen::Index r = 0; r < heads; ++r) {
        double heard = 1; // of a column's unit vector, across the row's directions
        for (const Matrix<float>& direction : rows.directions) heard -= double(direction(r, column)) * direction(r, column);
        if (heard < least_heard) continue;
        const AuditRow& row = rows.rows[static_cast<size_t>(r)];
        const double noise = std::max({double(rows.column_noise(r, column)), 1e-3 / row.weight, 1e-37});
        const double weight = heard / (noise * (1 + 4 / row.noise.freedom)), c = contribution(r, column);
        sums += {.information = weight * heard * c * c,
                 .own = weight * weight * c * c * own(r, column),
                 .floor = weight * heard * std::fabs(c) * std::sqrt(bound(r, column)),
                 .plain = weight * c * rows.errors(heads + r, column),
                 .got = weight * c * rows.errors(r, column)};
      }
    }
  }
}

} // namespace fmha950::reference
