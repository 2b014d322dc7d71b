// sparse_prefill: row ids and byte offsets that do not fit the widths they are tempted into.
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// Bytes of a row in each tensor that holds rows of this form.
std::vector<int64_t> bytes_of_rows(const SparseForm& form) {
  using namespace sparse;
  const int64_t rope = rope_columns * element_bytes(ElementType::bf16);
  if (form.type == ElementType::bf16) return {head_dim * element_bytes(ElementType::bf16)};
  if (form.format == RowFormat::packed) return {head_dim, rope};
  return {nope_columns, rope, nope_columns / split_block * element_bytes(ElementType::fp32)};
}

// Rows beside each width's end, by threes: ids of 8 and 16 bits, and for each tensor the row in which byte
// 2^31 or 2^32 lies or begins. Rows 1 to 3 come first: what is left of an offset that lost its carry.
std::vector<std::vector<int32_t>> rows_at_edges(const SparseForm& form) {
  std::vector<int64_t> edges = {2, 1 << 8, 1 << 16};
  for (const int64_t bytes : bytes_of_rows(form))
    for (const int64_t end : {int64_t{1} << 31, int64_t{1} << 32})
      if (const int64_t row = end / bytes; row + 2 < most_sparse_rows) edges.push_back(row);
  std::ranges::sort(edges);
  std::vector<std::vector<int32_t>> rows;
  for (const int64_t edge : edges) {
    const auto row = static_cast<int32_t>(edge);
    rows.push_back({row, row - 1, row + 1});
  }
  return rows;
}

// Each token lists the rows beside one edge, the last one those beside all;
// of the other source it lists row 3 or none.
ListedRows lists_at_edges(const SparseForm& form, bool in_pool) {
  const auto edges = rows_at_edges(form);
  const int rows = edges.back().back() + 2;
  operators::RowLists at_edges, few;
  std::vector<int32_t> all;
  for (const auto& edge : edges) {
    at_edges.of_token.push_back(edge);
    all.insert(all.end(), edge.begin(), edge.end());
  }
  at_edges.of_token.push_back(all);
  for (size_t token = 0; token < at_edges.of_token.size(); ++token)
    few.of_token.push_back(token % 2 == 0 ? std::vector<int32_t>{3} : std::vector<int32_t>{});
  if (in_pool) return {at_edges, few, rows, 10};
  return {few, at_edges, 10, rows};
}

} // namespace

std::vector<Probe> sparse_row_ids() {
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    for (const bool in_pool : {true, false}) {
      const ListedRows lists = lists_at_edges(form, in_pool);
      probes.push_back(
          sparse_one_hot_probe(fmt::format("sparse_row_ids/{}/{}", in_pool ? "pool" : "chunk", text_of(form)),
                               "rows around ids 2^8 and 2^16 and bytes 2^31 and 2^32 of each of their "
                               "tensors: an id or offset cut "
                               "to fewer bits meets another row, or poison",
                               sparse_problem(form, lists), lists));
    }
  return probes;
}

} // namespace fmha950::harness
