#pragma once
// Tensors of a sparse_prefill problem: lists (sparse_lists.hpp), values (value_source.hpp) and how rows store
// them (sparse_rows.hpp).
//
// - Row r of the pool is key r of the value source's request 0, row r of the chunk key pool + r behind them;
//   Q is the source's too. Values belong to the row, whichever tokens list it.
// - Rows that no token lists are poison, and lists end in 7 ids that are out of range.
// - Sink logits: sink_logits.hpp, the key length being the most rows that a token can list.

#include "interface/tensors.hpp"
#include "operators/sparse_prefill/row_lists.hpp"
#include "workload/value_source.hpp"

#include <memory>

namespace fmha950::operators {

struct SparseChoices { // what make_tensors() otherwise derives from the problem
  RowLists prefix, extend;
  std::shared_ptr<const workload::ValueSource> values;
  int padding = list_padding;
  std::vector<float> sink_logits = {}; // of each head, where there are any; empty: random ones
};

// Throws InvalidInput when a list names a row that there is not, or there is not one list for every token or
// one sink logit for every head.
Tensors make_sparse_tensors(const Problem& problem, const SparseChoices& choices);

} // namespace fmha950::operators
