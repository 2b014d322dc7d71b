#include "impl_reference/attention/attention.hpp"

#include "impl_reference/attention/chunks.hpp"
#include "impl_reference/attention/scores.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "numerics/formats.hpp"
#include "numerics/linear_fp8.hpp"
#include "numerics/threads.hpp"

#include <numbers>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

using namespace numerics;

// How P enters the second product (interface/oracle.hpp, ProbabilityRounding).
template <class Scalar> struct PRounding {
  Scalar shift = 0;                  // in powers of two
  Scalar (*round)(Scalar) = nullptr; // null: exact
  bool weighted = false, unit_follows = false, sum_rounded = false;
};

// Turns scores into 2^shift * exp(score - maximum) and returns their sum.
template <class Scalar> Scalar exponentiate(auto row, Scalar maximum, Scalar shift) {
  if constexpr (std::is_same_v<Scalar, double>)
    row = (row.array() - maximum).exp() * std::exp2(shift);
  else // base 2, as a GPU has it
    for (Scalar& score : row) score = std::exp2((score - maximum) * std::numbers::log2e_v<Scalar> + shift);
  return row.sum();
}

// The largest product of P and a descale, for each row and scale block.
Matrix<float> largest_weights(const Gather& gather, const QueryHead& row, const Matrix<float>& p,
                              const SharedKeys& shared, bool unit_follows) {
  Matrix<float> largest;
  for_each_seen_block(shared, [&](int first, int count) {
    const ValueScales scales = rounded_scales(gather, row, first, count, unit_follows);
    if (largest.size() == 0) largest.setZero(p.rows(), scales.of_key.cols());
    for (Eigen::Index block = 0; block < scales.of_key.cols(); ++block)
      largest.col(block) = largest.col(block).cwiseMax(
          (p.middleCols(first, count) * scales.of_key.col(block).asDiagonal()).rowwise().maxCoeff());
  });
  return largest;
}

// P V where it is P times V's descale that is rounded, 2^shift times as large as the row's largest product.
Matrix<float> weighted_product(const Gather& gather, const QueryHead& row, const Matrix<float>& p,
                               const SharedKeys& shared, const PRounding<float>& rounding) {
  Matrix<float> output = Matrix<float>::Zero(p.rows(), gather.problem().value_columns());
  const Matrix<float> largest = largest_weights(gather, row, p, shared, rounding.unit_follows);
  for_each_seen_block(shared, [&](int first, int count) {
    const Gathered<float> v = gather.values<float>(row, first, count);
    const Matrix<float> values = v.factor.asDiagonal() * v.values;
    const ValueScales scales = rounded_scales(gather, row, first, count, rounding.unit_follows);
    for (Eigen::Index block = 0; block < scales.of_key.cols(); ++block) {
      const Vector<float> unit = largest.col(block).cwiseMax(1e-30f) * std::exp2(-rounding.shift);
      const auto of_key = scales.of_key.col(block);
      Matrix<float> weights =
          unit.cwiseInverse().asDiagonal() * p.middleCols(first, count) * of_key.asDiagonal();
      weights = unit.asDiagonal() * weights.unaryExpr(rounding.round);
      const Eigen::Index column = block * scales.columns;
      output.middleCols(column, scales.columns).noalias() +=
          weights * (of_key.cwiseInverse().asDiagonal() * values.middleCols(column, scales.columns));
    }
  });
  return output;
}

template <class Scalar>
Matrix<Scalar> value_product(const Gather& gather, const QueryHead& row, const Matrix<Scalar>& p,
                             const SharedKeys& shared) {
  Matrix<Scalar> output = Matrix<Scalar>::Zero(p.rows(), gather.problem().value_columns());
  for_each_seen_block(shared, [&](int first, int count) {
    const Gathered<Scalar> v = gather.values<Scalar>(row, first, count);
    output.noalias() += p.middleCols(first, count) * (v.factor.asDiagonal() * v.values);
  });
  return output;
}

std::shared_ptr<KeptScores> room_for_scores(const Gather& gather, const std::vector<QueryRow>& rows) {
  std::vector<size_t> keys;
  for (const QueryRow& row : rows)
    keys.insert(keys.end(), static_cast<size_t>(gather.problem().query_heads),
                static_cast<size_t>(std::max<int64_t>(0, gather.visibility(row).end)));
  return KeptScores::make(keys);
}

template <class Scalar>
void keep(const Matrix<Scalar>& scores, const std::vector<Scalar>& maximum, std::span<const QueryHead> rows,
          KeptScores& kept) {
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::span<float> into = kept.of(rows[r].place);
    const Scalar *const from = scores.row(static_cast<Eigen::Index>(r)).data(), largest = maximum[r];
    kept.largest(rows[r].place) = largest;
    for (size_t key = 0; key < into.size(); ++key) into[key] = static_cast<float>(from[key] - largest);
  }
}

// The rows share their keys: those of one request and KV head, or of one token's lists. Writes output and lse at each
// row's place.
template <class Scalar>
void attend(const Gather& gather, std::span<const QueryHead> rows, const PRounding<Scalar>& rounding,
            AttentionRows& result, KeptScores* kept) {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Problem& problem = gather.problem();
  const int columns = problem.value_columns();
  const SharedKeys shared = shared_keys(gather, rows);
  Matrix<Scalar> p = scores_of<Scalar>(gather, rows, shared);
  const Eigen::Index count = p.rows();
  std::vector<Scalar> maximum(count, -infinity), sum(count, 0);
  for (Eigen::Index r = 0; r < count && shared.keys > 0; ++r) maximum[r] = p.row(r).maxCoeff();
  if (kept != nullptr) keep(p, maximum, rows, *kept);
  for (Eigen::Index r = 0; r < count; ++r) {
    if (maximum[r] == -infinity) {
      p.row(r).setZero(); // sees nothing
      continue;
    }
    sum[r] = exponentiate<Scalar>(p.row(r), maximum[r], rounding.shift);
    if (!rounding.round || rounding.weighted) continue;
    p.row(r) = p.row(r).unaryExpr(rounding.round);
    if (rounding.sum_rounded) sum[r] = p.row(r).sum();
  }
  Matrix<Scalar> output;
  if constexpr (std::is_same_v<Scalar, float>) {
    if (rounding.weighted) output = weighted_product(gather, rows[0], p, shared, rounding);
  }
  if (output.size() == 0) output = value_product(gather, rows[0], p, shared);
  const Tensor& sink_logit = gather.tensors().sink_logit;
  const auto sinks = sink_logit.as<float>();
  for (Eigen::Index r = 0; r < count; ++r) {
    // The sink joins at whichever of the two maxima is larger, so that neither term overflows.
    const Scalar sink = problem.sink_logit ? Scalar(sinks[rows[r].head]) : -infinity;
    const Scalar top = std::max(maximum[r], sink);
    const Scalar of_keys = maximum[r] == -infinity ? 0 : std::exp(maximum[r] - top);
    const Scalar of_sink = sink == -infinity ? 0 : std::exp(sink - top);
    const Scalar unshifted = sum[r] * std::exp2(-rounding.shift);
    const Scalar denominator = unshifted * of_keys + of_sink;
    const Scalar factor = sum[r] > 0 ? of_keys * std::exp2(-rounding.shift) / denominator : 0;
    result.lse[rows[r].place] = top == -infinity ? -infinity : top + std::log(denominator);
    for (int column = 0; column < columns; ++column)
      result.output[rows[r].place * columns + column] = output(r, column) * factor;
  }
}

constexpr ChunkSize attention_chunk_size{.scores = size_t{1} << 23};

template <class Scalar>
AttentionRows attention(const Gather& gather, const std::vector<QueryRow>& rows,
                        const PRounding<Scalar>& rounding, const std::shared_ptr<KeptScores>& kept) {
  const Problem& problem = gather.problem();
  AttentionRows result;
  result.rows = rows;
  result.lse.resize(rows.size() * problem.query_heads);
  result.output.resize(result.lse.size() * problem.value_columns());
  const std::vector<Chunk> chunks = chunks_of(problem, rows, attention_chunk_size);
  parallel_for(static_cast<int64_t>(chunks.size()),
               [&](int64_t i) { attend<Scalar>(gather, chunks[i], rounding, result, kept.get()); });
  result.scores = kept;
  return result;
}

float to_bf16(float x) { return f32_from_bf16(bf16_from_f32(x)); }
float to_fp16(float x) { return f32_from_f16(f16_from_f32(x)); }
float to_fp8(float x) { return f32_from_fp8(fp8_from_f32(x, true)); }
float to_fp32(float x) { return x; }
float to_linear_fp8(float x) { return f32_from_fp8(linear_fp8_from_f32(x)); }

using Round = float (*)(float);

Round rounding_to(ElementType type, const char* what) {
  switch (type) {
  case ElementType::bf16: return to_bf16;
  case ElementType::fp16: return to_fp16;
  case ElementType::fp8: return to_fp8;
  case ElementType::fp32: return to_fp32;
  case ElementType::e8m0:
  case ElementType::mxfp4:
  case ElementType::int32: break;
  }
  throw InvalidInput(what, std::string(name_of(type)), "must be bf16, fp16, fp8 or fp32");
}

Round rounding_of_p(const ProbabilityRounding& p) {
  if (!p.linear) return rounding_to(p.type, "P type");
  if (p.type == ElementType::fp8 && p.sum_rounded) return to_linear_fp8;
  throw InvalidInput("P type", std::string(name_of(p.type)),
                     "must be fp8, with a denominator that sums rounded P, where P is linear");
}

} // namespace

AttentionRows exact_attention(const Gather& gather, const std::vector<QueryRow>& rows, ScoresOfRows scores) {
  return attention<double>(gather, rows, {},
                           scores == ScoresOfRows::kept ? room_for_scores(gather, rows) : nullptr);
}

// Operands enter the matrix products as they are stored: each is exact in its own format, scales included
// (E8M0) or applied outside (fp32). What is left to round is P and the output.
AttentionRows plain_attention(const Gather& gather, const std::vector<QueryRow>& rows,
                              const ProbabilityRounding& rounding) {
  const PRounding<float> p{rounding.shift, rounding_of_p(rounding), rounding.weighted, rounding.unit_follows,
                           rounding.sum_rounded};
  AttentionRows result = attention<float>(gather, rows, p, nullptr);
  const Round round = rounding_to(gather.problem().output_type, "o");
  for (double& element : result.output) element = round(static_cast<float>(element));
  return result;
}

} // namespace fmha950::reference::FMHA950_SIMD
