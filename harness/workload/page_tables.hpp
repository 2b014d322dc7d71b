#pragma once
// The page tables of a problem in SGLang's or vLLM's form, with poisoned padding.

#include "harness/workload/page_assignment.hpp"
#include "interface/tensors.hpp"

namespace fmha950::workload {

inline constexpr int index_padding = 7;  // entries behind kv_page_indices
inline constexpr int column_padding = 3; // columns of block_table beyond the longest request

// Fills q_indptr and the tables of problem.page_table.
void fill_page_tables(const Problem& problem, const PageAssignment& pages, Tensors& tensors);

} // namespace fmha950::workload
