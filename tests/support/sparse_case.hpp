#pragma once
// Problems of sparse_prefill with dense values that are known apart from their tensors: what an
// implementation must find again behind lists, row formats and scales. Independent of interface/sparse_rows,
// workload and impl_reference.

#include "interface/tensors.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <random>

namespace fmha950::test {

struct SparseKey {
  bool of_chunk = false;
  int row = 0;
};

struct SparseCase {
  Problem problem;
  Tensors tensors;
  std::vector<double> q, pool, chunk;       // [rows][512], NaN in rows that nothing lists
  std::vector<std::vector<SparseKey>> keys; // of each token, in list order

  const double* query(int token, int head) const {
    return &q[(size_t(token) * problem.query_heads + head) * sparse::head_dim];
  }
  const double* key(int token, size_t position) const {
    const SparseKey& key = keys[token][position];
    return &(key.of_chunk ? chunk : pool)[size_t(key.row) * sparse::head_dim];
  }
};

// fp8 rows in `format`, or bf16 ones without it, with the given lengths of each token's lists. The scale is
// small enough for most keys to matter.
Problem sparse_problem(int heads, std::optional<RowFormat> format, int pool_rows, int chunk_rows,
                       std::vector<int> prefix_lengths, std::vector<int> extend_lengths);

// Random rows and lists for it, which name a row more than once only where they are longer than there are
// rows. A block of columns has about the same scale in all keys, 2^e with e from -spread to spread, and about
// its inverse in Q, so that scores stay moderate. Whatever nothing may read is poison: NaN elements and
// scales in unlisted rows and in the padding of rows, ids out of range behind the lists.
SparseCase make_sparse_case(const Problem& problem, std::mt19937& random, int spread = 2);

} // namespace fmha950::test
