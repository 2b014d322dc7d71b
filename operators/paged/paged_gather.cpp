#include "operators/paged/paged_gather.hpp"

#include "numerics/formats.hpp"
#include "numerics/fp4_pair.hpp"
#include "operators/paged/definition.hpp"

#include <cmath>
#include <map>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

// Calls `use` with a function from element index to its value, so that the type is looked at once per block.
template <class Use> void with_decoder(const Tensor& tensor, Use use) {
  using namespace numerics;
  const auto of = [&]<class Code>(Code, auto decode) {
    const Code* codes = reinterpret_cast<const Code*>(tensor.data());
    use([=](int64_t index) { return decode(codes[index]); });
  };
  const auto* const pairs = reinterpret_cast<const uint8_t*>(tensor.data());
  switch (tensor.type()) {
  case ElementType::mxfp4:
    return use([=](int64_t index) { return f32_from_fp4(fp4_code(pairs[index / 2], index)); });
  case ElementType::bf16: return of(uint16_t(), [](uint16_t code) { return f32_from_bf16(code); });
  case ElementType::fp16: return of(uint16_t(), [](uint16_t code) { return f32_from_f16(code); });
  case ElementType::fp8: return of(uint8_t(), [](uint8_t code) { return f32_from_fp8(code); });
  case ElementType::e8m0: return of(uint8_t(), [](uint8_t code) { return f32_from_e8m0(code); });
  case ElementType::fp32: return of(float(), [](float value) { return value; });
  case ElementType::int32: return of(int32_t(), [](int32_t value) { return static_cast<float>(value); });
  }
}

} // namespace

// One of K and V: its elements, and where the scale of an element stands.
struct PagedGather::Pool {
  const Tensor& elements;
  const Tensor& descale;
  int columns;
  int64_t (*index)(const Problem&, int64_t page, int slot, int head, int column);
  // The index of the E8M0 scale of a token's first column; null where the quantisation has none for this pool.
  int64_t (*block_scale_index)(const Problem&, int64_t page, int slot, int head) = nullptr;
  int columns_of_scale = 1;
};

namespace {

int64_t linear_row(const Problem& problem, int64_t page, int slot, int head) {
  return (page * problem.page_size + slot) * problem.kv_heads + head;
}
int64_t linear_k_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  return linear_row(problem, page, slot, head) * problem.head_dim + column;
}
int64_t linear_v_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  return linear_row(problem, page, slot, head) * problem.value_columns() + column;
}

constexpr int mx_block = 32;

int64_t k_block_scale_index(const Problem& problem, int64_t page, int slot, int head) {
  return linear_k_index(problem, page, slot, head, 0) / mx_block;
}

int64_t v_block_scale_index(const Problem& problem, int64_t page, int slot, int head) {
  const int64_t block = (page * problem.page_size + slot) / mx_block;
  return (block * problem.kv_heads + head) * problem.value_columns();
}

float fp32_descale(const Problem& problem, const Tensor& descale, int64_t page, int head) {
  if (descale.empty() || descale.type() != ElementType::fp32) return 1;
  if (problem.quantisation != Quantisation::page) return descale.as<float>()[0];
  return descale.as<float>()[page * problem.kv_heads + head];
}

} // namespace

PagedGather::PagedGather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys hidden)
    : GatherOf(problem, tensors), input_(input), hidden_(hidden) {}

Visibility PagedGather::visibility(const QueryRow& row) const {
  Visibility visibility = operators::visibility_in_pages(problem_, tensors_, row);
  if (row.request == hidden_.request) {
    visibility.hidden_first = hidden_.first;
    visibility.hidden_last = hidden_.last;
  }
  return visibility;
}

ValueScales PagedGather::value_scales(const QueryHead& row, int first, int count) const {
  const int head = row.head / problem_.heads_per_kv_head();
  ValueScales scales{Matrix<float>(count, 1), problem_.value_columns()};
  for (int i = 0; i < count; ++i)
    scales.of_key(i, 0) = fp32_descale(problem_, tensors_.v_descale,
                                       page_of(problem_, tensors_, row.row.request, first + i), head);
  return scales;
}

std::vector<float> PagedGather::copies(const QueryHead& row, int keys) const {
  std::map<int32_t, float> named;
  const int pages = (keys + problem_.page_size - 1) / problem_.page_size;
  const auto page = [&](int key) { return page_of(problem_, tensors_, row.row.request, key); };
  for (int i = 0; i < pages; ++i) ++named[page(i * problem_.page_size)];
  std::vector<float> copies;
  if (named.size() == static_cast<size_t>(pages)) return copies;
  for (int key = 0; key < keys; ++key) copies.push_back(named[page(key)]);
  return copies;
}

template <class Scalar> Gathered<Scalar> PagedGather::queries(std::span<const QueryHead> rows) const {
  const bool original = input_ == OracleInput::original && !tensors_.q_original.empty();
  const Tensor& elements = original ? tensors_.q_original : tensors_.q;
  const Tensor& descale = tensors_.q_descale;
  const int columns = problem_.head_dim;
  const bool block_scaled = !original && problem_.quantisation == Quantisation::mx;
  const bool scaled = !original && !block_scaled && !descale.empty();
  const auto indptr = tensors_.q_indptr.as<int32_t>();
  Gathered<Scalar> result;
  result.values.resize(static_cast<Eigen::Index>(rows.size()), columns);
  result.factor.setConstant(static_cast<Eigen::Index>(rows.size()), scaled ? descale.as<float>()[0] : 1);
  with_decoder(elements, [&](auto decode) {
    for (size_t r = 0; r < rows.size(); ++r) {
      const int64_t token = int64_t(indptr[rows[r].row.request]) + rows[r].row.query;
      const int64_t first = (token * problem_.query_heads + rows[r].head) * columns;
      for (int column = 0; column < columns; ++column) {
        Scalar value = decode(first + column);
        if (block_scaled) value *= descale.value((first + column) / 32);
        result.values(static_cast<Eigen::Index>(r), column) = value;
      }
    }
  });
  return result;
}

template <class Scalar>
Gathered<Scalar> PagedGather::tokens(const Pool& pool, const QueryHead& row, int first, int count) const {
  const int columns = pool.columns, head = row.head / problem_.heads_per_kv_head();
  std::vector<int64_t> offsets; // of the columns from the first one: the same for every token
  for (int column = 0; column < columns; ++column) offsets.push_back(pool.index(problem_, 0, 0, 0, column));
  const bool consecutive = offsets.back() == columns - 1; // which can be read as vectors
  Gathered<Scalar> result{Matrix<Scalar>(count, columns), Eigen::Matrix<Scalar, Eigen::Dynamic, 1>(count)};
  with_decoder(pool.elements, [&](auto decode) {
    for (int i = 0; i < count; ++i) {
      const int slot = (first + i) % problem_.page_size;
      const int64_t page = page_of(problem_, tensors_, row.row.request, first + i);
      const int64_t start = pool.index(problem_, page, slot, head, 0);
      Scalar* into = &result.values(i, 0);
      if (consecutive)
        for (int column = 0; column < columns; ++column) into[column] = decode(start + column);
      else
        for (int column = 0; column < columns; ++column) into[column] = decode(start + offsets[column]);
      if (pool.block_scale_index) {
        const uint8_t* const scales =
            pool.descale.as<uint8_t>().data() + pool.block_scale_index(problem_, page, slot, head);
        for (int column = 0; column < columns; ++column)
          into[column] *= numerics::f32_from_e8m0(scales[column / pool.columns_of_scale]);
      }
      result.factor(i) = fp32_descale(problem_, pool.descale, page, head);
    }
  });
  return result;
}

template <class Scalar> Gathered<Scalar> PagedGather::keys(const QueryHead& row, int first, int count) const {
  static const Tensor unscaled;
  const int columns = problem_.head_dim;
  if (input_ == OracleInput::original && !tensors_.k_original.empty())
    return tokens<Scalar>({tensors_.k_original, unscaled, columns, linear_k_index, nullptr}, row, first,
                          count);
  const bool block_scaled = tensors_.k_descale.type() == ElementType::e8m0;
  return tokens<Scalar>({tensors_.k_pool, tensors_.k_descale, columns, k_index,
                         block_scaled ? k_block_scale_index : nullptr, mx_block},
                        row, first, count);
}

template <class Scalar>
Gathered<Scalar> PagedGather::values(const QueryHead& row, int first, int count) const {
  static const Tensor unscaled;
  const int columns = problem_.value_columns();
  if (input_ == OracleInput::original && !tensors_.v_original.empty())
    return tokens<Scalar>({tensors_.v_original, unscaled, columns, linear_v_index, nullptr}, row, first,
                          count);
  const bool block_scaled = tensors_.v_descale.type() == ElementType::e8m0;
  return tokens<Scalar>(
      {tensors_.v_pool, tensors_.v_descale, columns, v_index, block_scaled ? v_block_scale_index : nullptr},
      row, first, count);
}

template Gathered<double> PagedGather::queries(std::span<const QueryHead>) const;
template Gathered<float> PagedGather::queries(std::span<const QueryHead>) const;
template Gathered<double> PagedGather::keys(const QueryHead&, int, int) const;
template Gathered<float> PagedGather::keys(const QueryHead&, int, int) const;
template Gathered<double> PagedGather::values(const QueryHead&, int, int) const;
template Gathered<float> PagedGather::values(const QueryHead&, int, int) const;

} // namespace fmha950::reference::FMHA950_SIMD
