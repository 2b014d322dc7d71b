#include "impl_reference/audit/rows.hpp"

#include "impl_reference/attention/append_gather.hpp"
#include "impl_reference/attention/list_gather.hpp"
#include "impl_reference/attention/paged_gather.hpp"
#include "impl_reference/audit/alignment.hpp"
#include "impl_reference/audit/common_rounding.hpp"
#include "interface/ulp.hpp"

#include <numeric>
#include <optional>

// Sums over keys may be taken in any order, so that they can be vectors.
#pragma clang fp reassociate(on)

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr float fp32_half_ulp = 0x1p-24f; // of a number from 1 to 2
constexpr double silent_variance = 1e-16; // of an element over its column's RMS: no rounding is so small
constexpr double fp32_least = 0x1p-126;   // normal number; a device may take smaller ones for 0
constexpr double least_variance = 1e-60;  // of a row of zeros, whose weight has to be a number
constexpr float fp32_left = 1e-6f; // of a square that all but vanishes: what fp32 cannot tell from nothing

// What the logarithm, its unit, the LSE's own rounding, the scale that all scores share and a soft cap leave
// of an LSE: relative to the largest number on the way, which is 8 where P is shifted.
double lse_rounding(double lse, double largest_score, double cap) {
  constexpr double largest_shift = 8;
  return fp32_half_ulp * std::max({std::fabs(lse), std::fabs(largest_score), cap, largest_shift});
}

// A sum that grows evenly is rounded in steps whose errors add up to sqrt(keys / 3) of them.
double lse_variance(double rounding, double keys, double sum_error) {
  const double sequential = std::sqrt(keys / 3) * fp32_half_ulp * 0.45;
  return sequential * sequential + 2.25 * rounding * rounding + sum_error;
}

// What the fp32 sums of the second product, of 16 keys and more a step, and the division leave, relative to
// the output.
double fp32_noise(double keys) { return fp32_half_ulp * std::sqrt(keys / 48 + 16); }

// A result midway between two numbers of the output's type may become either, and inputs that count lie there
// in every column: a kernel that takes the other one than the plain implementation has made no mistake.
bool on_either_side(double got, double plain, double step) {
  const double close = 1e-3 * step;
  return std::fabs(got + plain) < close && std::fabs(std::fabs(got) - step / 2) < close;
}

// Variances of the errors by rounding the output, whitened and not.
struct OutputNoise {
  double plain = 0, whitened = 0, along = 0;
  // Of what is across o: columns of the same o are rounded alike. The square of its covariance is that of a
  // type whose steps are the same in all columns.
  double across = 0, square = 0;
  double lost = 0; // along o: elements so small that they are taken for 0, all of them
};

// Squares of the errors by rounding P, summed over keys.
struct Squares {
  double plain = 0, along = 0, sum = 0;
  double heard = 0, heard_fourth = 0;   // across the directions
  double across = 0, across_fourth = 0; // across o alone
};

// What an error across o is made of: see RowNoise.
struct Freedom {
  double terms, directions;
};

// `excess`: see Alignment.
Freedom freedom_of(double squares, double fourth, double excess, const OutputNoise& output, double fp32,
                   double dimensions) {
  const double all = squares + output.across + fp32, pairs = std::max(0.0, squares * squares - fourth);
  const double of_keys = std::sqrt(std::min(pairs, excess + pairs / dimensions)),
               alike = of_keys + std::sqrt(output.square) + fp32 / std::sqrt(dimensions);
  return {fourth > 0 ? all * all / fourth : INFINITY,
          alike > 0 ? std::min(dimensions, all * all / (alike * alike)) : dimensions};
}

template <class Gather> class Preparation {
 public:
  Preparation(const Gather& gather, std::span<const QueryHead> heads, const Vector<float>& scale,
              const AuditInput& input, AuditValues<Gather>& values)
      : gather_(gather), heads_(heads), scale_(scale), input_(input), values_(values), noise_(input.rounding),
        common_(input.rounding), squares_(heads.size()), output_noise_(heads.size()) {}

  AuditRows prepare() {
    rows_.shared = shared_keys(gather_, heads_);
    std::vector<double> lse;
    for (const QueryHead& head : heads_) lse.push_back(input_.exact.lse[head.place]);
    rows_.weights = audit_weights(gather_, heads_, rows_.shared, lse, input_.rounding);
    rows_.rows.resize(heads_.size());
    take_outputs();
    sum_noise();
    for (Squares& squares : squares_)
      squares.across = squares.heard, squares.across_fourth = squares.heard_fourth;
    across_alignment_ = heard_alignment_;
    values_.take_out_directions(loud_directions(values_, noise_of_keys()));
    choose_directions();
    hear();
    for (size_t r = 0; r < heads_.size(); ++r) finish(r);
    return std::move(rows_);
  }

 private:
  Eigen::Index count() const { return static_cast<Eigen::Index>(heads_.size()); }

  Eigen::VectorXd whitened(const std::vector<double>& output, size_t place) const {
    const Eigen::Map<const Eigen::VectorXd> row(output.data() + place * static_cast<size_t>(scale_.size()),
                                                scale_.size());
    return row.cwiseQuotient(scale_.cast<double>());
  }

  double step_of(double whitened, Eigen::Index column, double row_scale) const { // of the output's type
    return row_scale * ulp(gather_.problem().output_type, whitened * scale_(column) / row_scale);
  }

  // o, the errors, and what rounding the output leaves.
  void take_outputs() {
    output_.setZero(count(), scale_.size());
    rows_.errors.setZero(2 * count(), scale_.size());
    rows_.column_noise.setZero(count(), scale_.size());
    for (size_t r = 0; r < heads_.size(); ++r) {
      const size_t place = heads_[r].place;
      const auto index = static_cast<Eigen::Index>(r);
      AuditRow& row = rows_.rows[r];
      row.exact = rows_.weights.exact[r];
      const double row_scale = rows_.weights.scale[r];
      const Eigen::VectorXd o = whitened(input_.exact.output, place) * row_scale;
      row.length = o.norm();
      output_.row(index) = o.transpose().cast<float>();
      const Eigen::VectorXd unit =
          row.length > 0 ? Eigen::VectorXd(o / row.length) : Eigen::VectorXd::Zero(o.size()).eval();
      const auto error_of = [&](const AttentionRows& result) {
        Eigen::VectorXd error = whitened(result.output, place) * row_scale - o;
        if (!error.allFinite()) error.setZero();
        return error;
      };
      const auto take = [&](const Eigen::VectorXd& error, Eigen::Index into) {
        rows_.errors.row(into) = error.transpose().cast<float>();
        return error.dot(unit);
      };
      const Eigen::VectorXd plain = error_of(input_.plain);
      Eigen::VectorXd got = error_of(input_.got);
      for (Eigen::Index d = 0; d < scale_.size(); ++d)
        if (on_either_side(got(d), plain(d), step_of(o(d), d, row_scale) / scale_(d))) got(d) = plain(d);
      row.got_along = take(got, index);
      row.plain_along = take(plain, count() + index);
      for (Eigen::Index d = 0; d < scale_.size(); ++d) {
        const double step = step_of(o(d), d, row_scale),
                     lost = std::min(std::fabs(o(d)) * scale_(d), row_scale * fp32_least),
                     variance = step * step / 12 + lost * lost;
        const double of_whitened = variance / (double(scale_(d)) * scale_(d));
        rows_.column_noise(index, d) = static_cast<float>(of_whitened);
        output_noise_[r].plain += variance;
        output_noise_[r].whitened += of_whitened;
        output_noise_[r].along += of_whitened * unit(d) * unit(d);
        output_noise_[r].lost += lost * lost / (double(scale_(d)) * scale_(d));
      }
      look_at_equal_columns(place, index, unit, output_noise_[r]);
    }
  }

  void look_at_equal_columns(size_t place, Eigen::Index r, const Eigen::VectorXd& unit,
                             OutputNoise& noise) const {
    const double* const o = input_.exact.output.data() + place * static_cast<size_t>(scale_.size());
    std::vector<Eigen::Index> columns(static_cast<size_t>(scale_.size()));
    std::iota(columns.begin(), columns.end(), 0);
    std::ranges::sort(columns, {}, [&](Eigen::Index column) { return o[column]; });
    double alone = 0, square = 0, along = 0;
    double variance_of_equal = 0, with_unit = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      const double variance = rows_.column_noise(r, columns[i]);
      alone += variance * variance;
      variance_of_equal += variance;
      with_unit += std::sqrt(variance) * unit(columns[i]);
      if (i + 1 < columns.size() && o[columns[i]] == o[columns[i + 1]]) continue;
      const double of_unit = with_unit * with_unit;
      noise.across += variance_of_equal - of_unit;
      square += variance_of_equal * (variance_of_equal - 2 * of_unit);
      along += of_unit;
      variance_of_equal = with_unit = 0;
    }
    const double even = noise.whitened * noise.whitened / static_cast<double>(columns.size());
    if (alone > 0) noise.square = std::max(0.0, square + along * along) * even / alone;
  }

  // The variance of what rounding P, and its score in fp32, do to a key's weight.
  void fill_errors() {
    const Matrix<float>& p = rows_.weights.p;
    error_.resize(p.rows(), p.cols());
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      const float rounds = rows_.rows[static_cast<size_t>(r)].exact ? 0 : 1;
      const float* const relative = rows_.weights.relative.row(r).data();
      const float* const slope = rows_.weights.slope.row(r).data();
      const float* const weight = p.row(r).data();
      const float* const copies = rows_.weights.copies.data();
      float* const error = error_.row(r).data();
      for (Eigen::Index j = 0; j < p.cols(); ++j) { // relative is 0 where the weight is
        const float rounding = rounds * noise_.deviation(relative[j]),
                    score = std::min(1.0f, fp32_half_ulp * std::fabs(slope[j]));
        error[j] = copies[j] * weight[j] * weight[j] * (rounding * rounding + score * score);
      }
    }
  }

  void sum_noise() {
    fill_errors();
    const Matrix<float> unit = [&] {
      Matrix<float> directions = output_;
      make_directions(directions, {});
      return directions;
    }();
    rows_.heard.setZero(rows_.weights.p.rows(), rows_.weights.p.cols());
    heard_alignment_.emplace(count(), mean_direction(unit));
    const bool rounded = input_.rounding.sum_rounded;
    const Vector<float> of_largest = scale_ / largest_scale(); // fp32 does not hold the squares of all V
    for_each_seen_block(rows_.shared, [&](int first, int block) {
      const Matrix<float> v = values_.block(first, block);
      const Eigen::Array<float, 1, Eigen::Dynamic> norms = v.rowwise().squaredNorm().transpose();
      const Eigen::Array<float, 1, Eigen::Dynamic> plain_norms =
          (v * of_largest.asDiagonal()).rowwise().squaredNorm().transpose();
      const Matrix<float> along_o = unit * v.transpose();
      const Matrix<float> by_group = squares_by_group(unit, v, first);
      for (Eigen::Index r = 0; r < count(); ++r) {
        // Where the sum takes the same errors, a key's error pulls the row towards it, not away from zero.
        const double length =
            rows_.rows[static_cast<size_t>(r)].length / rows_.weights.scale[static_cast<size_t>(r)];
        const float from = rounded ? static_cast<float>(length) : 0;
        const auto error = error_.row(r).segment(first, block).array();
        const auto y = along_o.row(r).array();
        auto left = rows_.heard.row(r).segment(first, block).array();
        left = (norms - y.square()).max(fp32_left * norms);
        Squares& squares = squares_[static_cast<size_t>(r)];
        squares.plain += (error * plain_norms).sum();
        if (grouped_) beside_.row(r).segment(first, block) = (y.square() - by_group.row(r).array()).max(0);
        squares.along += (error * (y - from).square()).sum();
        squares.sum += rounded ? error.sum() : score_error(r, first, block);
        add_heard(r, first, left);
        left = (left < least_heard * norms).select(0, left);
      }
      heard_alignment_->add(error_.middleCols(first, block), copies(first, block), v);
    });
  }

  // P that is weighted by descales is rounded for each group of V's columns by itself: a key's errors do not
  // point along its value. Of each row and key, the squares of o's components in its groups; nothing of one.
  Matrix<float> squares_by_group(const Matrix<float>& unit, const Matrix<float>& v, int first) {
    Matrix<float> squares(0, 0);
    if (!input_.rounding.weighted) return squares;
    const ValueScales scales = gather_.value_scales(heads_[0], first, static_cast<int>(v.rows()));
    const Eigen::Index groups = scales.of_key.cols(), columns = scales.columns;
    if (groups == 1) return squares;
    if (!grouped_) beside_.setZero(rows_.weights.p.rows(), rows_.weights.p.cols());
    grouped_ = true;
    squares.setZero(unit.rows(), v.rows());
    for (Eigen::Index group = 0; group < groups; ++group)
      squares +=
          (unit.middleCols(group * columns, columns) * v.middleCols(group * columns, columns).transpose())
              .cwiseAbs2();
    return squares;
  }

  float score_error(Eigen::Index r, int first, Eigen::Index block) const {
    const auto p = rows_.weights.p.row(r).segment(first, block).array();
    const auto slope = rows_.weights.slope.row(r).segment(first, block).array();
    return (copies(first, block) * (p * (fp32_half_ulp * slope.abs()).min(1.0f)).square()).sum();
  }

  auto copies(int first, Eigen::Index block) const {
    return rows_.weights.copies.segment(first, block).transpose().array();
  }

  void add_heard(Eigen::Index r, int first, const auto& left) {
    const Eigen::Index block = left.size();
    const auto error = error_.row(r).segment(first, block).array();
    const auto add = [&](const auto& heard) {
      Squares& squares = squares_[static_cast<size_t>(r)];
      squares.heard += (error * heard).sum();
      squares.heard_fourth += (copies(first, block) * (error * heard).square()).sum();
    };
    grouped_ ? add(left + beside_.row(r).segment(first, block).array()) : add(left);
  }

  // Of each key, its share of the rows' noise across o.
  std::vector<double> noise_of_keys() const {
    Vector<float> noise = Vector<float>::Zero(rows_.shared.keys);
    for (Eigen::Index r = 0; r < count(); ++r) {
      const double all =
          squares_[static_cast<size_t>(r)].across + output_noise_[static_cast<size_t>(r)].whitened;
      if (all > 0)
        noise += static_cast<float>(1 / (all * static_cast<double>(count()))) *
                 error_.row(r).cwiseProduct(rows_.heard.row(r)).transpose();
    }
    return {noise.data(), noise.data() + noise.size()};
  }

  // Sums of the values of those keys of a row.
  template <class Takes> Matrix<float> sums_of(const Takes& takes) const {
    Matrix<float> sums = Matrix<float>::Zero(count(), scale_.size());
    for_each_seen_block(rows_.shared, [&](int first, int block) {
      Matrix<float> p = rows_.weights.p.middleCols(first, block);
      bool any = false;
      for (Eigen::Index r = 0; r < p.rows(); ++r)
        for (Eigen::Index j = 0; j < block; ++j)
          if (p(r, j) > 0) takes(rows_.weights.relative(r, first + j)) ? any = true : p(r, j) = 0;
      if (any) sums.noalias() += p * values_.block(first, block);
    });
    return sums;
  }

  void choose_directions() {
    take_out(values_.directions(), output_);
    take_out(values_.directions(), rows_.errors);
    std::vector<Matrix<float>> sums{output_};
    if (subnormals_matter()) {
      sums.push_back(sums_of([&](float relative) { return noise_.vanishes(relative); }));
      sums.push_back(
          sums_of([&](float relative) { return noise_.subnormal(relative) && !noise_.vanishes(relative); }));
    }
    directions_of_row_.assign(heads_.size(), values_.directions().rows());
    for (Matrix<float>& vectors : sums) {
      const std::vector<bool> left = make_directions(vectors, rows_.directions);
      for (size_t r = 0; r < left.size(); ++r) directions_of_row_[r] += left[r];
      rows_.directions.push_back(std::move(vectors));
      for (Eigen::Index r = 0; r < 2 * count(); ++r) {
        const auto direction = rows_.directions.back().row(r % count());
        rows_.errors.row(r) -= rows_.errors.row(r).dot(direction) * direction;
      }
    }
  }

  // Whether P below the normal numbers, whose errors have one sign, could be heard through the noise.
  bool subnormals_matter() const {
    constexpr float share = 0.1f; // of the noise, if their values all pointed the same way
    for (Eigen::Index r = 0; r < count(); ++r) {
      const auto relative = rows_.weights.relative.row(r).array();
      const auto p = rows_.weights.p.row(r).array();
      const float weight = (relative < noise_.least_normal()).select(p, 0).sum();
      if (weight > share * std::sqrt(error_.row(r).sum())) return true;
    }
    return false;
  }

  // What is left of every value across the directions, and of the noise. Without any but o that is known.
  void hear() {
    const bool more = values_.directions().rows() > 0 || rows_.directions.size() > 1;
    const bool columns = gather_.problem().quantisation == Quantisation::mx;
    if (columns) project_output_noise();
    if (more) {
      for (Squares& squares : squares_) squares.heard = squares.heard_fourth = 0;
      heard_alignment_.emplace(count(), mean_direction(rows_.directions.front()));
    }
    if (more || columns)
      for_each_seen_block(rows_.shared, [&](int first, int block) {
        const Matrix<float> v = values_.block(first, block);
        if (more) {
          hear_block(v, first);
          heard_alignment_->add(error_.middleCols(first, block), copies(first, block), v);
        }
        if (columns) add_column_noise(v, first);
      });
  }

  void hear_block(const Matrix<float>& values, int first) {
    const Eigen::Index block = values.rows();
    const Eigen::Array<float, 1, Eigen::Dynamic> norms = values.rowwise().squaredNorm().transpose();
    rows_.heard.middleCols(first, block).rowwise() = norms.matrix();
    for (const Matrix<float>& direction : rows_.directions)
      rows_.heard.middleCols(first, block) -= (direction * values.transpose()).cwiseAbs2();
    for (Eigen::Index r = 0; r < count(); ++r) {
      auto left = rows_.heard.row(r).segment(first, block).array();
      left = left.max(fp32_left * norms);
      add_heard(r, first, left);
      left = (left < least_heard * norms).select(0, left);
    }
  }

  // What is left of the output's rounding in each column has parts of all columns.
  void project_output_noise() {
    const Matrix<float>& shared = values_.directions();
    const auto own = static_cast<Eigen::Index>(rows_.directions.size());
    Matrix<float> directions(shared.rows() + own, scale_.size());
    if (shared.rows() > 0) directions.topRows(shared.rows()) = shared;
    for (Eigen::Index r = 0; r < count(); ++r) {
      for (Eigen::Index d = 0; d < own; ++d)
        directions.row(shared.rows() + d) = rows_.directions[static_cast<size_t>(d)].row(r);
      const Eigen::RowVectorXf variance = rows_.column_noise.row(r);
      const Eigen::RowVectorXf taken = directions.cwiseAbs2().colwise().sum();
      const Matrix<float> both = directions * variance.asDiagonal() * directions.transpose();
      const Eigen::RowVectorXf back = directions.cwiseProduct(both * directions).colwise().sum();
      rows_.column_noise.row(r) = variance - 2 * variance.cwiseProduct(taken) + back;
    }
  }

  // The variance of (v - sum <v, d> d) in each column, over the row's directions d.
  void add_column_noise(const Matrix<float>& values, int first) {
    const auto errors = error_.middleCols(first, values.rows());
    rows_.column_noise.noalias() += errors * values.cwiseAbs2();
    std::vector<Matrix<float>> along;
    for (const Matrix<float>& direction : rows_.directions) along.push_back(direction * values.transpose());
    for (size_t a = 0; a < along.size(); ++a) {
      const Matrix<float> weighted = errors.cwiseProduct(along[a]);
      rows_.column_noise -= 2 * rows_.directions[a].cwiseProduct(weighted * values);
      for (size_t b = 0; b < along.size(); ++b) {
        const Vector<float> both = weighted.cwiseProduct(along[b]).rowwise().sum();
        rows_.column_noise += both.asDiagonal() * rows_.directions[a].cwiseProduct(rows_.directions[b]);
      }
    }
  }

  double largest_scale() const { return scale_.maxCoeff(); }

  double common_of(Eigen::Index r) const {
    const auto p = rows_.weights.p.row(r), relative = rows_.weights.relative.row(r);
    const double sum = p.sum(); // not 1 where a sink takes the rest
    if (!(sum > 0)) return 0;
    if (grouped_) return noise_.normal_bound();
    const auto keys = static_cast<size_t>(rows_.shared.keys);
    return common_.of({p.data(), keys}, {relative.data(), keys}) / sum;
  }

  void finish(size_t r) {
    AuditRow& row = rows_.rows[r];
    const Squares& squares = squares_[r];
    const OutputNoise& output = output_noise_[r];
    const size_t place = heads_[r].place;
    const auto index = static_cast<Eigen::Index>(r);
    const auto dim = static_cast<double>(scale_.size());
    const double keys = (rows_.weights.p.row(index).array() > 0).template cast<double>().sum();
    const double fp32 = fp32_noise(keys) * row.length, rounding = output.whitened + fp32 * fp32;
    const double unscaled = 1 / (rows_.weights.scale[r] * rows_.weights.scale[r]);
    row.noise.variance = unscaled * (squares.plain * std::pow(largest_scale(), 2) + output.plain) / dim;
    row.noise.across = unscaled * (squares.across + rounding) / std::max(1.0, dim - 1) + least_variance;
    // Keys of a P so small that it is taken for 0 are lost together: no longer a row than those leave.
    const double largest_p =
        rows_.shared.keys > 0 ? rows_.weights.p.row(index).maxCoeff() / rows_.weights.scale[r] : 0;
    const double lost = largest_p > 0 ? std::min(1.0, fp32_least / largest_p) * row.length : 0;
    row.along_variance =
        squares.along + output.along + output.lost + fp32 * fp32 + lost * lost + least_variance;
    row.noise.along = row.length > 0 ? row.along_variance / (row.length * row.length) : 0;
    row.noise.common = common_of(index);
    const Freedom across = freedom_of(squares.across, squares.across_fourth,
                                      across_alignment_->excess(index, squares.across_fourth), output,
                                      fp32 * fp32, std::max(1.0, dim - 1));
    row.noise.terms = across.terms;
    row.noise.directions = across.directions;
    const double left = std::max(1.0, dim - static_cast<double>(directions_of_row_[r])),
                 heard = squares.heard + rounding;
    const Freedom freedom =
        freedom_of(squares.heard, squares.heard_fourth, heard_alignment_->excess(index, squares.heard_fourth),
                   output, fp32 * fp32, left);
    // The errors of few keys point the same way whatever is asked about, up to 2.2 deviations far.
    // Without any noise a row has no weight that a number could be: the judge of rows looks at it.
    const double of_element = heard / freedom.directions * (1 + 4 / freedom.terms);
    constexpr double least_audited = 0x1p-100; // with smaller P parts of P vanish, or of what they weigh
    row.weight = of_element > silent_variance && largest_p >= least_audited ? 1 / of_element : 0;
    row.bucket = row.noise.variance > 0 ? std::ilogb(std::sqrt(row.noise.variance)) : -1000;
    const double exact = input_.exact.lse[place];
    if (input_.got.lse.empty() || !std::isfinite(exact)) return;
    const double largest = rows_.shared.keys > 0 ? rows_.weights.slope.row(index).cwiseAbs().maxCoeff() : 0;
    row.lse_floor = lse_rounding(exact, largest, gather_.problem().soft_cap);
    row.noise.lse_variance = lse_variance(row.lse_floor, keys, unscaled * squares.sum);
    row.lse_got = input_.got.lse[place] - exact;
    row.lse_plain = input_.plain.lse[place] - exact;
    // Of a row whose keys are next to nothing the LSE says nothing of them.
    if (std::isfinite(row.lse_got) && std::isfinite(row.lse_plain) && unscaled == 1)
      row.lse_weight = 1 / row.noise.lse_variance;
  }

  const Gather& gather_;
  std::span<const QueryHead> heads_;
  const Vector<float>& scale_;
  const AuditInput& input_;
  AuditValues<Gather>& values_;
  ProbabilityNoise noise_;
  CommonRounding common_;
  bool grouped_ = false; // P is rounded for each group of columns by itself
  AuditRows rows_;
  Matrix<float> output_; // whitened o
  Matrix<float> error_;  // [rows, keys]
  Matrix<float> beside_; // likewise: |error across o|^2 of a key whose value is along o, of groups of columns
  std::optional<Alignment> heard_alignment_, across_alignment_; // of what Squares has the same words for
  std::vector<Squares> squares_;
  std::vector<OutputNoise> output_noise_;
  std::vector<Eigen::Index> directions_of_row_;
};

} // namespace

template <class Gather>
AuditRows audit_rows(const Gather& gather, std::span<const QueryHead> heads, const Vector<float>& scale,
                     const AuditInput& input, AuditValues<Gather>& values) {
  return Preparation(gather, heads, scale, input, values).prepare();
}

template AuditRows audit_rows(const PagedGather&, std::span<const QueryHead>, const Vector<float>&,
                              const AuditInput&, AuditValues<PagedGather>&);
template AuditRows audit_rows(const AppendGather&, std::span<const QueryHead>, const Vector<float>&,
                              const AuditInput&, AuditValues<AppendGather>&);
template AuditRows audit_rows(const ListGather&, std::span<const QueryHead>, const Vector<float>&,
                              const AuditInput&, AuditValues<ListGather>&);

} // namespace fmha950::reference::FMHA950_SIMD
