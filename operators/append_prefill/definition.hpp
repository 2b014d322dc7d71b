#pragma once
// What append_prefill is made of, for the files of this folder. All else finds it by its name (append_prefill.hpp).

#include "interface/case_keys.hpp"
#include "interface/operator.hpp"

namespace fmha950::operators {

extern const case_keys::OperatorKeys append_keys;
extern const std::span<const TensorEntry> append_table;

void check_append(const Problem& problem);
void check_append(const Problem& problem, const Tensors& tensors);
void check_angles(const Problem& problem, const Tensors& tensors); // values that tokens are rotated by

const Oracle& append_oracle();

} // namespace fmha950::operators
