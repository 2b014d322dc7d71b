#include "impl_reference/audit/rows.hpp"

#include "impl_reference/audit/alignment.hpp"
#include "impl_reference/audit/column_noise.hpp"
#include "impl_reference/audit/common_rounding.hpp"
#include "impl_reference/audit/fp32_noise.hpp"
#include "impl_reference/audit/row_noise.hpp"

// Sums over keys may be taken in any order, so that they can be vectors.
#pragma clang fp reassociate(on)

namespace fmha950::reference::FMHA950_SIMD {
namespace {

class Preparation {
 public:
  Preparation(const Gather& gather, std::span<const QueryHead> heads, const Vector<float>& scale,
              const AuditInput& input, AuditValues& values)
      : gather_(gather), heads_(heads), scale_(scale), input_(input), values_(values), noise_(input.rounding),
        common_(input.rounding), terms_(heads.size()), totals_(heads.size()) {}

  AuditRows prepare() {
    rows_.shared = shared_keys(gather_, heads_);
    rows_.weights = audit_weights(values_.owner(), heads_, rows_.shared, input_.exact, input_.rounding);
    rows_.rows.resize(heads_.size());
    take_outputs();
    sum_noise();
    for (NoiseTerms& row : terms_) row.keys.across = row.keys.heard;
    if (input_.rounding.linear) lose_subnormals();
    values_.take_out_directions(loud_directions(values_, noise_of_keys()));
    choose_directions();
    hear();
    for (size_t r = 0; r < heads_.size(); ++r) finish(r);
    return std::move(rows_);
  }

 private:
  Eigen::Index count() const { return static_cast<Eigen::Index>(heads_.size()); }

  // o, the errors, and what rounding the output leaves.
  void take_outputs() {
    const auto columns = static_cast<size_t>(scale_.size());
    output_.setZero(count(), scale_.size());
    rows_.errors.setZero(2 * count(), scale_.size());
    rows_.column_noise.setZero(count(), scale_.size());
    for (size_t r = 0; r < heads_.size(); ++r) {
      const auto of_row = [&](const AttentionRows& result) {
        return std::span(result.output).subspan(heads_[r].place * columns, columns);
      };
      const auto index = static_cast<Eigen::Index>(r);
      AuditRow& row = rows_.rows[r];
      const OutputRow output(scale_, of_row(input_.exact), rows_.weights.scale[r],
                             gather_.problem().output_type);
      const Eigen::VectorXd plain = output.error_of(of_row(input_.plain));
      Eigen::VectorXd got = output.error_of(of_row(input_.got));
      output.settle_ties(got, plain);
      row.exact = rows_.weights.exact[r];
      row.length = output.o.norm();
      row.got_along = got.dot(output.unit);
      row.plain_along = plain.dot(output.unit);
      output_.row(index) = output.o.transpose().cast<float>();
      rows_.errors.row(index) = got.transpose().cast<float>();
      rows_.errors.row(count() + index) = plain.transpose().cast<float>();
      terms_[r].output = output.noise(rows_.column_noise.row(index));
    }
  }

  // The variance of what rounding P, and its score in fp32, do to a key's weight.
  void fill_errors() {
    const Matrix<float>& p = rows_.weights.p;
    const bool rounded = input_.rounding.sum_rounded;
    error_.resize(p.rows(), p.cols());
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      const float rounds = rows_.rows[static_cast<size_t>(r)].exact ? 0 : 1;
      const float* const relative = rows_.weights.relative.row(r).data();
      const float* const slope = rows_.weights.slope.row(r).data();
      const float* const weight = p.row(r).data();
      const float* const copies = rows_.weights.copies.data();
      float* const error = error_.row(r).data();
      const float least = noise_.least_normal();
      float of_all = 0, of_sum = 0, weights = 0, subnormal = 0;
      int seen = 0;
      for (Eigen::Index j = 0; j < p.cols(); ++j) { // relative is 0 where the weight is
        const float rounding = rounds * noise_.deviation(relative[j]),
                    score = std::min(1.0f, score_noise_ * std::fabs(slope[j])),
                    square = copies[j] * weight[j] * weight[j], of_score = square * score * score;
        error[j] = square * rounding * rounding + of_score;
        of_all += error[j];
        of_sum += rounded ? error[j] : of_score; // what a sum of rounded P takes, and one of P as they were
        weights += weight[j];
        subnormal += relative[j] < least ? weight[j] : 0;
        seen += weight[j] > 0;
      }
      NoiseTerms& terms = terms_[static_cast<size_t>(r)];
      terms.keys.sum = of_sum;
      terms.keys_seen = seen;
      totals_[static_cast<size_t>(r)] = {.error = of_all, .weight = weights, .subnormal = subnormal};
    }
  }

  auto copies(int first, Eigen::Index block) const {
    return rows_.weights.copies.segment(first, block).transpose().array();
  }

  void sum_noise() {
    fill_errors();
    const Matrix<float> unit = [&] {
      Matrix<float> directions = output_;
      make_directions(directions, {});
      return directions;
    }();
    rows_.heard = zeros_in_unseen_blocks(count(), rows_.shared);
    Alignment alignment(count(), mean_direction(unit));
    norms_.setZero(rows_.shared.keys);
    const bool rounded = input_.rounding.sum_rounded;
    const float largest_scale = scale_.maxCoeff(); // fp32 does not hold the squares of all V
    for_each_seen_block(rows_.shared, [&](int first, int block) {
      const AuditValueBlock& v = values_.block(first, block);
      const float *const norms = v.norms.data(), *const plain_norms = v.plain_norms.data();
      norms_.segment(first, block) = v.norms.transpose().matrix();
      const Matrix<float> along_o = unit * v.values.transpose();
      const Matrix<float> by_block = squares_by_block(unit, v.values, first);
      for (Eigen::Index r = 0; r < count(); ++r) {
        // Where the sum takes the same errors, a key's error pulls the row towards it, not away from zero.
        const double length =
            rows_.rows[static_cast<size_t>(r)].length / rows_.weights.scale[static_cast<size_t>(r)];
        const float from = rounded ? static_cast<float>(length) : 0;
        const float *const error = &error_(r, first), *const y = &along_o(r, 0);
        float* const left = &rows_.heard(r, first);
        float plain = 0, along = 0; // one loop: each number is loaded once
        for (Eigen::Index j = 0; j < block; ++j) {
          plain += error[j] * plain_norms[j];
          along += error[j] * (y[j] - from) * (y[j] - from);
          left[j] = std::max(norms[j] - y[j] * y[j], fp32_left * norms[j]);
        }
        KeyNoise& noise = terms_[static_cast<size_t>(r)].keys;
        noise.plain += plain;
        noise.along += along;
        if (in_blocks_)
          beside_.row(r).segment(first, block) =
              (along_o.row(r).array().square() - by_block.row(r).array()).max(0);
        take_left(r, first, v.norms);
      }
      alignment.add(error_.middleCols(first, block), copies(first, block), v.values,
                    values_.rotated_block(first, block));
    });
    for (NoiseTerms& row : terms_) row.keys.plain *= double(largest_scale) * largest_scale;
    take_excess(alignment);
  }

  // A P that is linear loses all of what is below the normal numbers, or half: that much of a row may be wrong as one.
  void lose_subnormals() {
    const Matrix<float> lost = sums_of([&](float relative) { return noise_.subnormal(relative); });
    for (size_t r = 0; r < heads_.size(); ++r) {
      const auto index = static_cast<Eigen::Index>(r);
      const AuditRow& row = rows_.rows[r];
      const double length = row.length / rows_.weights.scale[r];
      const Eigen::RowVectorXf unit =
          length > 0 ? Eigen::RowVectorXf(output_.row(index).normalized()) : output_.row(index);
      const double towards = lost.row(index).dot(unit), away = totals_[r].subnormal * length;
      const double across = std::max(0.0, double(lost.row(index).squaredNorm()) - towards * towards);
      KeyNoise& noise = terms_[r].keys;
      noise.along += (towards - away) * (towards - away);
      noise.across.squares += across;
      noise.across.fourth += across * across;
    }
  }

  void take_excess(const Alignment& alignment) {
    for (size_t r = 0; r < terms_.size(); ++r) {
      ErrorSums& heard = terms_[r].keys.heard;
      heard.excess = alignment.excess(static_cast<Eigen::Index>(r), heard.fourth);
    }
  }

  // P that is weighted by descales is rounded for each scale block of V by itself, so a key's errors do not
  // point along its value. Returns, for each row and key, the sum over blocks of the squared product of `unit`
  // and v; empty if there is only one block.
  Matrix<float> squares_by_block(const Matrix<float>& unit, const Matrix<float>& v, int first) {
    Matrix<float> squares(0, 0);
    if (!input_.rounding.weighted) return squares;
    const ValueScales scales = gather_.value_scales(heads_[0], first, static_cast<int>(v.rows()));
    const Eigen::Index blocks = scales.of_key.cols(), columns = scales.columns;
    if (blocks == 1) return squares;
    if (!in_blocks_) beside_.setZero(rows_.weights.p.rows(), rows_.weights.p.cols());
    in_blocks_ = true;
    squares.setZero(unit.rows(), v.rows());
    for (Eigen::Index block = 0; block < blocks; ++block)
      squares +=
          (unit.middleCols(block * columns, columns) * v.middleCols(block * columns, columns).transpose())
              .cwiseAbs2();
    return squares;
  }

  // Computes the noise of a row from what remains of its values across directions. If almost nothing remains of
  // a value, skips the value.
  void take_left(Eigen::Index r, int first, const Eigen::Array<float, 1, Eigen::Dynamic>& norms) {
    const float* const beside = in_blocks_ ? &beside_(r, first) : nothing_beside_.data();
    const float *const error = &error_(r, first), *const copies = &rows_.weights.copies(first);
    float* const left = &rows_.heard(r, first);
    float squares = 0, fourth = 0;
    for (Eigen::Index j = 0; j < norms.size(); ++j) {
      const float heard = error[j] * (left[j] + beside[j]);
      squares += heard;
      fourth += copies[j] * heard * heard;
      left[j] = left[j] < least_heard * norms[j] ? 0 : left[j];
    }
    ErrorSums& sums = terms_[static_cast<size_t>(r)].keys.heard;
    sums.squares += squares;
    sums.fourth += fourth;
  }

  // Each key's share of the rows' noise, including the noise along o. If a key dominates many rows, an error of
  // its own factor is the same in all of them.
  std::vector<double> noise_of_keys() const {
    Vector<float> noise = Vector<float>::Zero(rows_.shared.keys);
    for (Eigen::Index r = 0; r < count(); ++r) {
      const NoiseTerms& row = terms_[static_cast<size_t>(r)];
      const double all = row.keys.across.squares + row.output.whitened;
      if (all > 0)
        noise += static_cast<float>(1 / (all * static_cast<double>(count()))) *
                 error_.row(r).transpose().cwiseProduct(norms_);
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
      if (any) sums.noalias() += p * values_.block(first, block).values;
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
    for (NoiseTerms& row : terms_) row.directions = static_cast<double>(values_.directions().rows());
    for (Matrix<float>& vectors : sums) {
      const std::vector<bool> left = make_directions(vectors, rows_.directions);
      for (size_t r = 0; r < left.size(); ++r) terms_[r].directions += left[r];
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
    for (const Totals& row : totals_)
      if (row.subnormal > share * std::sqrt(row.error)) return true;
    return false;
  }

  // What is left of every value across the directions, and of the noise. Without any but o that is known.
  void hear() {
    const bool more = values_.directions().rows() > 0 || rows_.directions.size() > 1;
    const bool columns = gather_.problem().quantisation == Quantisation::mx;
    if (columns) project_output_noise(rows_, values_.directions());
    if (more)
      for (NoiseTerms& row : terms_) row.keys.heard = {};
    Alignment alignment(count(), mean_direction(rows_.directions.front()));
    if (more || columns)
      for_each_seen_block(rows_.shared, [&](int first, int block) {
        const AuditValueBlock& v = values_.block(first, block);
        if (more) {
          hear_block(v, first);
          alignment.add(error_.middleCols(first, block), copies(first, block), v.values,
                        values_.rotated_block(first, block));
        }
        if (columns) add_column_noise(rows_, error_.middleCols(first, block), v.values);
      });
    if (more) take_excess(alignment);
  }

  void hear_block(const AuditValueBlock& values, int first) {
    const Eigen::Array<float, 1, Eigen::Dynamic>& norms = values.norms;
    const Eigen::Index block = norms.size();
    rows_.heard.middleCols(first, block).rowwise() = norms.matrix();
    for (const Matrix<float>& direction : rows_.directions)
      rows_.heard.middleCols(first, block) -= (direction * values.values.transpose()).cwiseAbs2();
    for (Eigen::Index r = 0; r < count(); ++r) {
      auto left = rows_.heard.row(r).segment(first, block).array();
      left = left.max(fp32_left * norms);
      take_left(r, first, norms);
    }
  }

  double common_of(Eigen::Index r) const {
    const auto p = rows_.weights.p.row(r), relative = rows_.weights.relative.row(r);
    const double sum = totals_[static_cast<size_t>(r)].weight; // not 1 where a sink takes the rest
    if (!(sum > 0)) return 0;
    if (in_blocks_) return noise_.normal_bound();
    const auto keys = static_cast<size_t>(rows_.shared.keys);
    return common_.of({p.data(), keys}, {relative.data(), keys}) / sum;
  }

  void finish(size_t r) {
    const auto index = static_cast<Eigen::Index>(r);
    const auto p = rows_.weights.p.row(index);
    const bool any = rows_.shared.keys > 0;
    NoiseTerms& terms = terms_[r];
    terms.scale = rows_.weights.scale[r];
    terms.largest_p = any ? p.maxCoeff() / terms.scale : 0;
    terms.columns = static_cast<double>(scale_.size());
    terms.common = common_of(index);
    set_noise(rows_.rows[r], terms);
    const size_t place = heads_[r].place;
    const double exact = input_.exact.lse[place];
    if (input_.got.lse.empty() || !std::isfinite(exact)) return;
    const double largest = any ? rows_.weights.slope.row(index).cwiseAbs().maxCoeff() : 0;
    set_lse(rows_.rows[r], terms, lse_rounding(exact, largest, gather_.problem().soft_cap),
            input_.got.lse[place] - exact, input_.plain.lse[place] - exact);
  }

  const Gather& gather_;
  std::span<const QueryHead> heads_;
  const Vector<float>& scale_;
  const AuditInput& input_;
  AuditValues& values_;
  ProbabilityNoise noise_;
  CommonRounding common_;
  float score_noise_ = score_noise(gather_.problem().head_dim);
  bool in_blocks_ = false; // P is rounded for each scale block by itself
  AuditRows rows_;
  Matrix<float> output_; // whitened o
  Matrix<float> error_;  // [rows, keys]
  Vector<float> norms_;  // of the values, squared
  Matrix<float> beside_; // likewise: |error across o|^2 of a key whose value is along o, of scale blocks
  Vector<float> nothing_beside_ = Vector<float>::Zero(key_block);
  std::vector<NoiseTerms> terms_; // of each row
  struct Totals { // over its keys: the variance of weights, weights, those of P below the normal numbers
    float error = 0, weight = 0, subnormal = 0;
  };
  std::vector<Totals> totals_; // of each row
};

} // namespace

AuditRows audit_rows(const Gather& gather, std::span<const QueryHead> heads, const Vector<float>& scale,
                     const AuditInput& input, AuditValues& values) {
  return Preparation(gather, heads, scale, input, values).prepare();
}

} // namespace fmha950::reference::FMHA950_SIMD
