#pragma once
// What merge is made of, for the files of this folder. All else finds it by its name (merge.hpp).

#include "interface/case_keys.hpp"
#include "interface/operator.hpp"

namespace fmha950::operators {

extern const case_keys::OperatorKeys merge_keys;
extern const std::span<const TensorEntry> merge_tensor_entries;

void check_merge(const Problem& problem);
void check_merge(const Problem& problem, const Tensors& tensors);
void check_merge_values(const Problem& problem, const Tensors& tensors);
InputBytes merge_bytes(const Problem& problem);

double largest_partial_output(const Problem& problem, const Tensors& tensors);
KeyPrefixes prefixes_of_parts(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                              const std::vector<int>& lengths);

const Oracle& merge_oracle();
const PartNames& merge_parts();

} // namespace fmha950::operators
