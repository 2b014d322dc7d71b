// Tensors of sparse_prefill: shapes, lists and scales. Padding of lists and of rows and unlisted rows are
// never looked at.
#include "interface/validate_detail.hpp"
#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <cmath>

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;
using namespace sparse;

constexpr int split_scales = nope_columns / split_block;

void check_rows_shape(const Problem& p, const std::string& name, const SparseRows& rows, int64_t count) {
  const bool fp8_rows = p.kv_type == fp8, split = fp8_rows && row_format(p) == RowFormat::split;
  using Shape = std::vector<int64_t>;
  const Shape none;
  const Expected table[] = {
      {name + ".nope", rows.nope, p.kv_type, {count, split ? nope_columns : head_dim}},
      {name + ".rope", rows.rope, bf16, fp8_rows ? Shape{count, rope_columns} : none},
      {name + ".scale", rows.scale, fp32, split ? Shape{count, split_scales} : none},
      {name + ".original", rows.original, fp32, rows.original.empty() ? none : Shape{count, head_dim}},
  };
  check_expected(table);
}

// One of the two lists of every token.
struct List {
  std::string name;
  const Tensor &indptr, &indices;
  const std::vector<int>& lengths; // of kind `lengths`
  int rows;
};

int64_t entries(const Tensor& tensor) { return tensor.shape().size() == 1 ? tensor.shape()[0] : 0; }

void check_indptr(const SparseLists& lists, const List& list) {
  const std::string name = list.name + "_indptr";
  if (list.indptr.type() != int32 || list.indptr.shape() != std::vector<int64_t>{lists.tokens + 1})
    throw InvalidInput(name, text_of(list.indptr.type(), list.indptr.shape()),
                       fmt::format("must be int32 [{}]", lists.tokens + 1));
  const auto indptr = list.indptr.as<int32_t>();
  if (indptr[0] != 0) refuse(name, indptr[0], "must be 0", 0);
  for (int t = 0; t < lists.tokens; ++t) {
    if (indptr[t + 1] < indptr[t])
      refuse(name, indptr[t + 1], fmt::format("must not be below its predecessor {}", indptr[t]), t + 1);
    const int length = indptr[t + 1] - indptr[t], most = most_listed(lists.kind, list.rows);
    if (lists.kind == ListKind::lengths && length != list.lengths[static_cast<size_t>(t)])
      refuse(name, indptr[t + 1],
             fmt::format("must be {}, as token {} lists {} rows",
                         int64_t{indptr[t]} + list.lengths[static_cast<size_t>(t)], t,
                         list.lengths[static_cast<size_t>(t)]),
             t + 1);
    if (lists.kind == ListKind::dense && length != most)
      refuse(name, indptr[t + 1],
             fmt::format("must be {}, as every token lists all {} rows", int64_t{indptr[t]} + most, most),
             t + 1);
    if (lists.kind != ListKind::lengths && length > most)
      refuse(name, indptr[t + 1],
             fmt::format("must be at most {}, as no list of this kind has more than {} rows",
                         int64_t{indptr[t]} + most, most),
             t + 1);
  }
}

void check_indices(const List& list) {
  const std::string name = list.name + "_indices";
  const int32_t listed = list.indptr.as<int32_t>().back();
  if (listed == 0) return;
  if (list.indices.type() != int32 || entries(list.indices) < listed)
    throw InvalidInput(name, text_of(list.indices.type(), list.indices.shape()),
                       fmt::format("must be int32 [{}] or longer", listed));
  const auto ids = list.indices.as<int32_t>();
  for (int32_t i = 0; i < listed; ++i)
    if (ids[i] < 0 || ids[i] >= list.rows)
      refuse(name, ids[i], fmt::format("must be a row, 0 to {}", list.rows - 1), i);
}

void check_split_scales(const std::string& name, const Tensor& scale, int64_t row) {
  const auto scales = scale.as<float>();
  for (int block = 0; block < split_scales; ++block) {
    const float value = scales[row * split_scales + block];
    int exponent = 0;
    if (!std::isnormal(value) || std::frexp(value, &exponent) != 0.5f)
      refuse(name + ".scale", value, "must be a positive power of two and no subnormal number", row, block);
    if (value > largest_descale)
      refuse(name + ".scale", value, "must be at most 2^119, or 448 times it is infinite in fp32", row,
             block);
  }
}

void check_packed_scales(const std::string& name, const Tensor& nope, int64_t row) {
  const auto bytes = nope.as<uint8_t>();
  for (int64_t column = packed_scales_begin; column < packed_scales_begin + packed_scales; ++column)
    check_e8m0_descale(name + ".nope", ElementType::fp8, bytes[row * head_dim + column], row, column);
}

void check_row_scales(const Problem& p, const std::string& name, const SparseRows& rows, int64_t row) {
  if (p.kv_type != fp8) return;
  if (row_format(p) == RowFormat::split)
    check_split_scales(name, rows.scale, row);
  else
    check_packed_scales(name, rows.nope, row);
}

} // namespace

void check_sparse(const Problem& p, const Tensors& tensors) {
  const SparseTensors& t = sparse_tensors(tensors);
  const SparseLists& lists = *sparse_lists(p);
  check_rows_shape(p, "q", t.q, int64_t{lists.tokens} * p.query_heads);
  check_rows_shape(p, "pool", t.pool, lists.pool_rows);
  check_rows_shape(p, "chunk", t.chunk, lists.chunk_rows);
  const std::vector<int64_t> none, heads{p.query_heads};
  const Expected sink_logit[] = {{"sink_logit", tensors.sink_logit, fp32, p.sink_logit ? heads : none}};
  check_expected(sink_logit);
  check_sink_logits(tensors);

  for (int64_t row = 0; row < t.q.rows(); ++row) check_row_scales(p, "q", t.q, row);
  const auto check = [&](const List& list, const std::string& name, const SparseRows& rows) {
    check_indptr(lists, list);
    check_indices(list);
    if (p.kv_type == fp8)
      for (const int32_t row : listed_rows(list.indptr, list.indices)) check_row_scales(p, name, rows, row);
  };
  check({"prefix", t.prefix_indptr, t.prefix_indices, lists.prefix_lengths, lists.pool_rows}, "pool", t.pool);
  check({"extend", t.extend_indptr, t.extend_indices, lists.extend_lengths, lists.chunk_rows}, "chunk",
        t.chunk);
}

} // namespace fmha950::operators
