#include "operators/append_prefill/append_gather.hpp"

#include "numerics/formats.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"

#include <algorithm>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

// The fp32 product of an fp8 number and its scale is what is rounded: in double it would be rounded twice.
float dequantised(ElementType type, float stored, float scale) {
  using namespace numerics;
  const float value = stored * scale;
  return type == ElementType::fp16 ? f32_from_f16(f16_from_f32(value)) : f32_from_bf16(bf16_from_f32(value));
}

} // namespace

AppendGather::AppendGather(const Problem& problem, const Tensors& tensors, OracleInput input,
                           HiddenKeys hidden)
    : GatherOf(problem, tensors), paged_(problem, tensors, input, hidden), input_(input) {}

int AppendGather::old_tokens(const QueryHead& row, int first, int count) const {
  const Request& request = problem().requests[row.row.request];
  return std::clamp(request.key_length - request.query_length - first, 0, count);
}

std::vector<int> AppendGather::segments(const QueryHead& row) const {
  const Request& request = problem().requests[static_cast<size_t>(row.row.request)];
  return {request.key_length - request.query_length, request.key_length};
}

template <class Scalar>
Gathered<Scalar> AppendGather::joined(const Gathered<Scalar>& cached, const Tensor& chunk, bool rotary,
                                      const QueryHead& row, int first, int count) const {
  const int columns = problem().head_dim, head = row.head / problem().heads_per_kv_head();
  const auto old = static_cast<int>(cached.values.rows());
  Gathered<Scalar> result{Matrix<Scalar>(count, columns),
                          Eigen::Matrix<Scalar, Eigen::Dynamic, 1>::Ones(count)};
  for (int i = 0; i < old; ++i)
    for (int column = 0; column < columns; ++column)
      result.values(i, column) =
          dequantised(problem().query_type, static_cast<float>(cached.values(i, column)),
                      static_cast<float>(cached.factor(i)));
  const Request& request = problem().requests[row.row.request];
  const int64_t begin = tensors().q_indptr.as<int32_t>()[row.row.request]; // of the request's chunk
  for (int i = old; i < count; ++i) {
    const int64_t token = begin + first + i - (request.key_length - request.query_length);
    std::vector<float> values(static_cast<size_t>(columns));
    for (int column = 0; column < columns; ++column)
      values[static_cast<size_t>(column)] =
          chunk.value((token * problem().kv_heads + head) * columns + column);
    if (rotary) operators::rotate(problem(), tensors(), token, values);
    for (int column = 0; column < columns; ++column)
      result.values(i, column) = values[static_cast<size_t>(column)];
  }
  return result;
}

template <class Scalar> Gathered<Scalar> AppendGather::queries(std::span<const QueryHead> rows) const {
  Gathered<Scalar> result = paged_.queries<Scalar>(rows);
  if (rotary_embedding(problem()) == nullptr) return result;
  const auto indptr = tensors().q_indptr.as<int32_t>();
  std::vector<float> values(static_cast<size_t>(problem().head_dim));
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    for (size_t column = 0; column < values.size(); ++column)
      values[column] = static_cast<float>(result.values(row, static_cast<Eigen::Index>(column)));
    operators::rotate(problem(), tensors(), int64_t{indptr[rows[r].row.request]} + rows[r].row.query, values);
    for (size_t column = 0; column < values.size(); ++column)
      result.values(row, static_cast<Eigen::Index>(column)) = values[column];
  }
  return result;
}

// The unquantised pools hold the chunk, too, as it comes in.
template <class Scalar>
Gathered<Scalar> AppendGather::keys(const QueryHead& row, int first, int count) const {
  if (input_ == OracleInput::original && !tensors().k_original.empty() &&
      rotary_embedding(problem()) == nullptr)
    return paged_.keys<Scalar>(row, first, count);
  const int old = old_tokens(row, first, count);
  return joined(paged_.keys<Scalar>(row, first, old), append_tensors(tensors()).k_new, true, row, first,
                count);
}

template <class Scalar>
Gathered<Scalar> AppendGather::values(const QueryHead& row, int first, int count) const {
  if (input_ == OracleInput::original && !tensors().v_original.empty())
    return paged_.values<Scalar>(row, first, count);
  const int old = old_tokens(row, first, count);
  return joined(paged_.values<Scalar>(row, first, old), append_tensors(tensors()).v_new, false, row, first,
                count);
}

template Gathered<double> AppendGather::queries(std::span<const QueryHead>) const;
template Gathered<float> AppendGather::queries(std::span<const QueryHead>) const;
template Gathered<double> AppendGather::keys(const QueryHead&, int, int) const;
template Gathered<float> AppendGather::keys(const QueryHead&, int, int) const;
template Gathered<double> AppendGather::values(const QueryHead&, int, int) const;
template Gathered<float> AppendGather::values(const QueryHead&, int, int) const;

} // namespace fmha950::reference::FMHA950_SIMD
