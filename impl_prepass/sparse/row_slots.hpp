#pragma once
// Which rows of the pool, or of the chunk, are dequantised to which slots of scratch.

#include "interface/tensor.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::prepass::sparse {

struct RowSlots {
  int64_t count = 0;            // slots
  bool whole = false;           // slot n is row n; `rows` and `indices` are empty
  std::vector<int32_t> rows;    // the row of each slot, each once however many tokens list it
  std::vector<int32_t> indices; // the lists in slots instead of rows: valid with the same indptr
};

// The rows that the lists name, in the order in which they are first named, out of `rows`. All of them as
// soon as more than 7/8 are found to be named: to dequantise the others too is then at most a seventh more
// work and scratch, and saves the rest of the search, the new lists and their upload. Never looks at the
// lists' padding.
RowSlots assign_row_slots(const Tensor& indptr, const Tensor& indices, int64_t rows);

} // namespace fmha950::prepass::sparse
