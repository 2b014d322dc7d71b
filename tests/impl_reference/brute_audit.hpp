#pragma once
// The audit of interface/audit.hpp as scalar loops in double, for rows that share their keys. It knows
// weights and values from before anything is paged or scaled; of the code it takes the noise of each row, of
// which the weights of rows are made.

#include "interface/audit.hpp"
#include "random_case.hpp"

#include <cmath>
#include <functional>

namespace fmha950::test {

struct DenseRow {
  std::vector<double> p, slope; // of each key; slope: of log p by that of the scores' scale
  std::vector<double> hidden;   // the P that a key would have that is not seen
  std::vector<double> o;
};

// Scores before the cap -> weights.
inline DenseRow dense_row(const std::vector<double>& raw, const std::function<bool(int)>& sees, double cap,
                          double sink, const std::vector<std::vector<double>>& values) {
  const size_t keys = raw.size(), columns = values[0].size();
  DenseRow row{std::vector<double>(keys), std::vector<double>(keys), std::vector<double>(keys),
               std::vector<double>(columns)};
  double sum = std::isfinite(sink) ? std::exp(sink) : 0;
  for (size_t j = 0; j < keys; ++j) {
    const double tanh = cap > 0 ? std::tanh(raw[j] / cap) : 0, score = cap > 0 ? cap * tanh : raw[j];
    row.slope[j] = cap > 0 ? raw[j] * (1 - tanh * tanh) : raw[j];
    (sees(int(j)) ? row.p : row.hidden)[j] = std::exp(score);
    sum += row.p[j];
  }
  for (size_t j = 0; j < keys; ++j) {
    row.p[j] /= sum, row.hidden[j] /= sum;
    for (size_t d = 0; d < columns; ++d) row.o[d] += row.p[j] * values[j][d];
  }
  return row;
}

struct BruteAudit {
  std::vector<std::vector<double>> values; // [keys][columns]
  std::vector<DenseRow> rows;
  std::vector<std::vector<double>> errors; // of each row
  std::vector<double> weights;             // of each row

  std::vector<double> column_scale() const {
    std::vector<double> scale(values[0].size());
    for (size_t d = 0; d < scale.size(); ++d) {
      for (const auto& value : values) scale[d] += value[d] * value[d];
      scale[d] = std::sqrt(scale[d] / double(values.size()));
    }
    return scale;
  }

  // What keys [first, last) add to row r, each times factor(key), whitened, and without what lies along o.
  std::vector<double> contribution(size_t r, const std::function<double(int key)>& factor) const {
    const auto scale = column_scale();
    std::vector<double> c(scale.size());
    for (size_t j = 0; j < values.size(); ++j)
      for (size_t d = 0; d < c.size(); ++d) c[d] += factor(int(j)) * values[j][d] / scale[d];
    return across(r, c);
  }
  std::vector<double> error(size_t r) const {
    const auto scale = column_scale();
    std::vector<double> e = errors[r];
    for (size_t d = 0; d < e.size(); ++d) e[d] /= scale[d];
    return across(r, e);
  }

  // Information, and <e, c>; factor(row, key) is the weight of the part in it.
  PartSums sums(const std::function<double(const DenseRow&, int key)>& factor) const {
    PartSums sums;
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto c = contribution(r, [&](int key) { return factor(rows[r], key); }), e = error(r);
      for (size_t d = 0; d < c.size(); ++d) {
        sums.information += weights[r] * c[d] * c[d];
        sums.got += weights[r] * e[d] * c[d];
      }
    }
    return sums;
  }
  PartSums values_of(int first, int last) const {
    return sums(
        [=](const DenseRow& row, int key) { return key >= first && key < last ? row.p[size_t(key)] : 0; });
  }
  PartSums scores_of(int first, int last) const {
    return sums([=](const DenseRow& row, int key) {
      return key >= first && key < last ? row.p[size_t(key)] * row.slope[size_t(key)] : 0;
    });
  }

 private:
  std::vector<double> across(size_t r, std::vector<double> c) const {
    const auto scale = column_scale();
    double along = 0, length = 0;
    for (size_t d = 0; d < c.size(); ++d) {
      along += c[d] * rows[r].o[d] / scale[d];
      length += rows[r].o[d] / scale[d] * rows[r].o[d] / scale[d];
    }
    for (size_t d = 0; d < c.size(); ++d) c[d] -= along / length * rows[r].o[d] / scale[d];
    return c;
  }
};

} // namespace fmha950::test
