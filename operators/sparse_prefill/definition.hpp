#pragma once
// What sparse_prefill is made of, for the files of this folder. All else finds it by its name (sparse_prefill.hpp).

#include "interface/case_keys.hpp"
#include "interface/operator.hpp"

namespace fmha950::operators {

extern const case_keys::OperatorKeys sparse_keys;
extern const std::span<const TensorEntry> sparse_tensor_entries;

void check_sparse(const Problem& problem);
void check_sparse(const Problem& problem, const Tensors& tensors);
void check_sparse_values(const Problem& problem, const Tensors& tensors);
InputBytes sparse_bytes(const Problem& problem);

double max_value_in_lists(const Problem& problem, const Tensors& tensors);
KeyPrefixes prefixes_of_token(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                              const std::vector<int>& lengths);

const Oracle& sparse_oracle();
const PartNames& sparse_parts();

} // namespace fmha950::operators
