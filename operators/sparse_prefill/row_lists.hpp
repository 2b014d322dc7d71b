#pragma once
// Which rows of the pool and of the chunk each token of a sparse_prefill problem lists, by the kind of its
// lists (operators/sparse_prefill/sparse_lists.hpp).
//
// - Rows come in a random order. A list names a row twice only when it is longer than there are rows: then it
//   is whole permutations of them, one after another, and a part of one.
// - Rows are drawn from the whole pool. Where its tensors are so large that byte 2^31 or 2^32 lies in one,
//   every list that is long enough holds the first and last row and those around these bytes.
// - Kind `empty`: token 4i has no rows, token 4i + 1 none of the pool, token 4i + 2 none of the chunk.

#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::operators {

struct RowLists { // of one source
  std::vector<std::vector<int32_t>> of_token;
};

RowLists make_prefix_lists(const Problem& problem);
RowLists make_extend_lists(const Problem& problem);

// Ids in all lists of the problem, before any is made.
struct ListedIds {
  int64_t prefix = 0, extend = 0;
};
ListedIds listed_ids(const Problem& problem);

inline constexpr int list_padding = 7;

// indptr and indices of the lists, then `padding` ids that no source of `rows` rows has: some just past its
// end, some far past it, some negative.
void write_lists(const RowLists& lists, int64_t rows, int padding, Tensor& indptr, Tensor& indices);

} // namespace fmha950::operators
