#pragma once
// Draft trees of a problem's requests: the parent of a node is a node before it, or the last key before the tree.

#include "interface/tensors.hpp"

namespace fmha950::workload {

// Node i and those on its way to the root.
std::vector<uint64_t> ancestors(const std::vector<int>& parents); // -1: the node is a child of the root

// tree_mask of random trees: of four nodes one is a child of the node before it and three of any that comes before, the root
// included. Rows of queries before the tree are all ones and zeros by turns. `q_indptr` is there.
Tensor make_tree_mask(const Problem& problem, const Tensors& tensors);
void set_tree_bits(Tensors& tensors, QueryRow node, uint64_t bits);

} // namespace fmha950::workload
