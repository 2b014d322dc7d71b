#pragma once
// What operators whose keys are in pages share: rules, checks, tensors and what is true of them. For their folders.

#include "interface/operator.hpp"

namespace fmha950::operators {

// Checks that a case string could name the problem, but for what one operator forbids.
void check_paged_fields(const Problem& problem);

void check_shapes(const Problem& problem, const Tensors& tensors);   // all but the tables
void check_tables(const Problem& problem, const Tensors& tensors);   // relies on shapes
void check_descales(const Problem& problem, const Tensors& tensors); // relies on tables

// Q, or the chunk of append_prefill: [total_q, heads, D].
void check_query_values(const Problem& problem, const Tensors& tensors, const char* name,
                        const Tensor& tensor, const char* head_name);
void check_pool_values(const Problem& problem, const Tensors& tensors, const char* k_name,
                       const char* v_name);

// Which keys a row sees; of a node of a tree by its row of tree_mask.
Visibility visibility_in_pages(const Problem& problem, const Tensors& tensors, QueryRow row);
void check_tree_mask(const Problem& problem, const Tensors& tensors); // relies on shapes

InputBytes paged_bytes(const Problem& problem);

double max_value_in_pages(const Problem& problem, const Tensors& tensors);
KeyPrefixes prefixes_of_request(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                                const std::vector<int>& lengths);
const PartNames& paged_parts();

} // namespace fmha950::operators
