#pragma once
// The page tables of a problem in SGLang's or vLLM's form, with poisoned padding.

#include "interface/tensors.hpp"
#include "workload/page_assignment.hpp"

namespace fmha950::workload {

// Entries that no request owns; their page ids are out of range.
struct TablePadding {
  int indices = 7; // behind kv_page_indices
  int columns = 3; // of block_table beyond the longest request
};

// Fills q_indptr and the tables of problem.page_table.
void fill_page_tables(const Problem& problem, const PageAssignment& pages, TablePadding padding,
                      Tensors& tensors);

} // namespace fmha950::workload
