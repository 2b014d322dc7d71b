#include "operators/sparse_prefill/sparse_rows.hpp"

#include "numerics/formats.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <algorithm>
#include <array>

namespace fmha950 {

namespace {

using namespace sparse;

// 448 fp8 columns, one scale per `block` of them.
template <class Scalar>
void read_nope(const uint8_t* codes, int block, auto scale_of_block, std::span<Scalar, head_dim> columns) {
  for (int first = 0; first < nope_columns; first += block) {
    const Scalar scale = scale_of_block(first / block);
    for (int column = first; column < first + block; ++column)
      columns[column] = numerics::f32_from_fp8(codes[column]) * scale;
  }
}

template <class Scalar> void read_bf16(const Tensor& tensor, int64_t row, std::span<Scalar> columns) {
  const uint16_t* codes = tensor.as<uint16_t>().data() + row * static_cast<int64_t>(columns.size());
  for (size_t column = 0; column < columns.size(); ++column)
    columns[column] = numerics::f32_from_bf16(codes[column]);
}

std::span<const int32_t> list_of(const Tensor& indptr, const Tensor& indices, int64_t token) {
  const auto offsets = indptr.as<int32_t>();
  return indices.as<int32_t>().subspan(static_cast<size_t>(offsets[token]),
                                       static_cast<size_t>(offsets[token + 1] - offsets[token]));
}

} // namespace

int columns_of_scale(const Problem& problem) {
  return row_format(problem) == RowFormat::split || problem.kv_type == ElementType::bf16 ? split_block
                                                                                         : packed_block;
}

void read_scales(const Problem& problem, const SparseRows& rows, int64_t row, std::span<float> scales) {
  std::ranges::fill(scales, 1.0f);
  if (problem.kv_type == ElementType::bf16) return;
  const int block = columns_of_scale(problem), count = nope_columns / block;
  for (int i = 0; i < count; ++i)
    scales[static_cast<size_t>(i)] =
        row_format(problem) == RowFormat::split
            ? rows.scale.as<float>()[static_cast<size_t>(row * count + i)]
            : numerics::f32_from_e8m0(
                  rows.nope.as<uint8_t>()[static_cast<size_t>(row * head_dim + packed_scales_begin + i)]);
}

template <class Scalar>
void read_row(const Problem& problem, const SparseRows& rows, int64_t row,
              std::span<Scalar, head_dim> columns) {
  if (problem.kv_type == ElementType::bf16) return read_bf16<Scalar>(rows.nope, row, columns);
  const bool split = row_format(problem) == RowFormat::split;
  std::array<float, head_dim / packed_block> scales;
  read_scales(problem, rows, row,
              std::span(scales).first(static_cast<size_t>(head_dim / columns_of_scale(problem))));
  read_nope(
      rows.nope.as<uint8_t>().data() + row * (split ? nope_columns : head_dim), columns_of_scale(problem),
      [&](int block) { return scales[static_cast<size_t>(block)]; }, columns);
  read_bf16<Scalar>(rows.rope, row, columns.template last<rope_columns>());
}

template void read_row(const Problem&, const SparseRows&, int64_t, std::span<float, head_dim>);
template void read_row(const Problem&, const SparseRows&, int64_t, std::span<double, head_dim>);

TokenLists::TokenLists(const SparseTensors& tensors, int64_t token)
    : prefix(list_of(tensors.prefix_indptr, tensors.prefix_indices, token)),
      extend(list_of(tensors.extend_indptr, tensors.extend_indices, token)), tensors_(tensors) {}

ListedRow TokenLists::operator[](int position) const {
  const int of_pool = static_cast<int>(prefix.size());
  if (position < of_pool) return {&tensors_.pool, prefix[position]};
  return {&tensors_.chunk, extend[position - of_pool]};
}

std::vector<uint32_t> keys_of_workgroups(const SparseTensors& tensors, std::span<const int32_t> order,
                                         unsigned times) {
  std::vector<uint32_t> keys;
  for (unsigned y = 0; y < times; ++y)
    for (const int32_t token : order)
      keys.push_back(static_cast<uint32_t>(TokenLists(tensors, token).size()));
  return keys;
}

std::vector<int32_t> listed_rows(const Tensor& indptr, const Tensor& indices) {
  const auto listed = indices.as<int32_t>().first(static_cast<size_t>(indptr.as<int32_t>().back()));
  std::vector<int32_t> rows(listed.begin(), listed.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

} // namespace fmha950
