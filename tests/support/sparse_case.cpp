#include "tests/support/sparse_case.hpp"

#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/elements.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>

namespace fmha950::test {
namespace {

using namespace sparse;

int block_columns(const Problem& p) { return row_format(p) == RowFormat::split ? split_block : packed_block; }

SparseRows poisoned_rows(const Problem& p, int64_t rows) {
  SparseRows result;
  if (p.kv_type == ElementType::bf16) {
    result.nope = Tensor(ElementType::bf16, {rows, head_dim});
  } else {
    const bool split = row_format(p) == RowFormat::split;
    result.nope = Tensor(ElementType::fp8, {rows, split ? nope_columns : head_dim});
    result.rope = Tensor(ElementType::bf16, {rows, rope_columns});
    if (split) result.scale = Tensor(ElementType::fp32, {rows, nope_columns / split_block});
  }
  for (Tensor* tensor : {&result.nope, &result.rope, &result.scale}) poison(*tensor);
  return result;
}

void put_scale(const Problem& p, SparseRows& rows, int64_t row, int block, int exponent) {
  if (row_format(p) == RowFormat::split)
    rows.scale.as<float>()[row * (nope_columns / split_block) + block] = std::ldexp(1.0f, exponent);
  else
    rows.nope.as<uint8_t>()[row * head_dim + packed_scales_begin + block] = uint8_t(127 + exponent);
}

// Random values in one row; `exponents` are those of its blocks' scales, but for a step either way.
void fill_row(const Problem& p, SparseRows& rows, int64_t row, const std::vector<int>& exponents,
              double* values, std::mt19937& random) {
  if (p.kv_type == ElementType::bf16) {
    for (int column = 0; column < head_dim; ++column)
      values[column] = put_random(rows.nope, row * head_dim + column, random);
    return;
  }
  const int64_t width = rows.nope.shape()[1];
  const int block = block_columns(p);
  for (int first = 0; first < nope_columns; first += block) {
    const int exponent = exponents[first / block] + below(random, 3) - 1;
    put_scale(p, rows, row, first / block, exponent);
    for (int column = first; column < first + block; ++column)
      values[column] = std::ldexp(put_random(rows.nope, row * width + column, random), exponent);
  }
  for (int column = 0; column < rope_columns; ++column)
    values[nope_columns + column] = put_random(rows.rope, row * rope_columns + column, random);
}

// `length` ids, all different unless there are more of them than rows.
std::vector<int32_t> random_list(int length, int rows, std::mt19937& random) {
  std::vector<int32_t> ids;
  while (static_cast<int>(ids.size()) < length) {
    std::vector<int32_t> all(rows);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(std::min<size_t>(all.size(), length - ids.size()));
    ids.insert(ids.end(), all.begin(), all.end());
  }
  return ids;
}

void make_lists(SparseCase& c, bool of_chunk, std::mt19937& random) {
  const SparseLists& lists = *sparse_lists(c.problem);
  const int rows = of_chunk ? lists.chunk_rows : lists.pool_rows;
  Tensor& indptr =
      of_chunk ? sparse_tensors(c.tensors).extend_indptr : sparse_tensors(c.tensors).prefix_indptr;
  Tensor& indices =
      of_chunk ? sparse_tensors(c.tensors).extend_indices : sparse_tensors(c.tensors).prefix_indices;
  indptr = Tensor(ElementType::int32, {lists.tokens + 1});
  std::vector<int32_t> all;
  for (int token = 0; token < lists.tokens; ++token) {
    const int length = (of_chunk ? lists.extend_lengths : lists.prefix_lengths)[token];
    for (const int32_t row : random_list(length, rows, random)) {
      all.push_back(row);
      c.keys[token].push_back({of_chunk, row});
    }
    indptr.as<int32_t>()[token + 1] = static_cast<int32_t>(all.size());
  }
  for (const int32_t beyond : {rows, -1, INT_MAX, INT_MIN, rows + 1}) all.push_back(beyond);
  indices = Tensor(ElementType::int32, {static_cast<int64_t>(all.size())});
  std::copy(all.begin(), all.end(), indices.as<int32_t>().begin());
}

} // namespace

Problem sparse_problem(int heads, std::optional<RowFormat> format, int pool_rows, int chunk_rows,
                       std::vector<int> prefix_lengths, std::vector<int> extend_lengths) {
  Problem p;
  p.op = sparse_prefill;
  p.query_heads = heads;
  p.head_dim = head_dim;
  p.kv_type = p.query_type = format ? ElementType::fp8 : ElementType::bf16;
  p.scale = 0.03f;
  p.lse = true;
  const int tokens = static_cast<int>(prefix_lengths.size());
  p.own = SparseLists{tokens,
                      pool_rows,
                      chunk_rows,
                      ListKind::lengths,
                      std::move(prefix_lengths),
                      std::move(extend_lengths),
                      format.value_or(RowFormat::split)};
  p.requests = {{tokens, most_listed_rows(*sparse_lists(p))}};
  return p;
}

SparseCase make_sparse_case(const Problem& problem, std::mt19937& random, int spread) {
  const SparseLists& lists = *sparse_lists(problem);
  SparseCase c;
  c.problem = problem;
  c.keys.resize(lists.tokens);
  make_lists(c, false, random);
  make_lists(c, true, random);
  std::vector<int> of_keys, of_queries;
  for (int block = 0; block < nope_columns / block_columns(problem); ++block) {
    of_keys.push_back(below(random, 2 * spread + 1) - spread);
    of_queries.push_back(-of_keys.back());
  }
  SparseTensors& t = sparse_tensors(c.tensors);
  const auto make_rows = [&](SparseRows& rows, std::vector<double>& values, int64_t count) {
    rows = poisoned_rows(problem, count);
    values.assign(count * head_dim, std::nan(""));
  };
  const int64_t queries = int64_t{lists.tokens} * problem.query_heads;
  make_rows(t.q, c.q, queries);
  make_rows(t.pool, c.pool, lists.pool_rows);
  make_rows(t.chunk, c.chunk, lists.chunk_rows);
  for (int64_t row = 0; row < queries; ++row)
    fill_row(problem, t.q, row, of_queries, &c.q[row * head_dim], random);
  for (const auto& token : c.keys)
    for (const SparseKey& key : token) {
      double* values = &(key.of_chunk ? c.chunk : c.pool)[size_t(key.row) * head_dim];
      if (std::isnan(values[0]))
        fill_row(problem, key.of_chunk ? t.chunk : t.pool, key.row, of_keys, values, random);
    }
  if (problem.sink_logit) {
    c.tensors.sink_logit = Tensor(ElementType::fp32, {problem.query_heads});
    for (float& sink : c.tensors.sink_logit.as<float>())
      sink = std::uniform_real_distribution<float>(-2, 4)(random);
  }
  return c;
}

} // namespace fmha950::test
