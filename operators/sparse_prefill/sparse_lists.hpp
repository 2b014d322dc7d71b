#pragma once
// sparse_prefill: which rows a token attends. Every token has two lists, of rows of a paged pool (prefix) and
// of rows of the current chunk (extend). Its keys are the rows of both, and the values are the same rows.

#include "interface/names.hpp"
#include "interface/problem.hpp"

#include <vector>

namespace fmha950 {

enum class ListKind : uint8_t {
  sparse, // each list has 0 to ceil(rows / 4) rows
  dense,  // each token lists all rows of the pool and all of the chunk
  empty,  // as sparse, but of four tokens one has no rows at all, one none of the pool, one none of the chunk
  lengths, // as given
};

inline constexpr int most_sparse_tokens = 1 << 20; // of a problem
inline constexpr int most_sparse_rows = 1 << 27;   // of a pool or a chunk, and of one list

// How the rows of Q, the pool and the chunk are stored when they are fp8 (sparse_tensors.hpp).
enum class RowFormat : uint8_t { split, packed };

// sparse_prefill's own part of a problem, whose head_dim is 512, whose query heads share one KV head, and whose Q and KV
// have the same type, bf16 or fp8. `requests` is one request of all tokens, whose key_length is the most rows that a
// token can list.
struct SparseLists {
  int tokens = 0;     // queries
  int pool_rows = 0;  // unlisted rows and the padding of rows are poison
  int chunk_rows = 0; // rows that extend lists name
  ListKind kind = ListKind::sparse;
  // Kind `lengths`: rows of each token's lists. A generated list names a row more than once only if it is
  // longer than there are rows; those of others may.
  std::vector<int> prefix_lengths, extend_lengths;
  RowFormat format = RowFormat::split; // of fp8 rows

  InvalidInput misplaced() const;
  std::vector<Feature> features(const Problem& problem) const;
  bool operator==(const SparseLists&) const = default;
};

// Null: the problem is none of sparse_prefill.
inline SparseLists* sparse_lists(Problem& problem) { return problem.own.get<SparseLists>(); }
inline const SparseLists* sparse_lists(const Problem& problem) { return problem.own.get<SparseLists>(); }

inline RowFormat row_format(const Problem& problem) {
  const SparseLists* const lists = sparse_lists(problem);
  return lists != nullptr ? lists->format : RowFormat::split;
}

// The most of `rows` rows that one list of this kind has; kind `lengths` has lengths of its own.
int most_listed(ListKind kind, int rows);
// The most rows, of pool and chunk together, that one token can list.
int most_listed_rows(const SparseLists& lists);

template <> std::span<const std::string_view> names_of<ListKind>();
template <> std::span<const std::string_view> names_of<RowFormat>();

} // namespace fmha950
