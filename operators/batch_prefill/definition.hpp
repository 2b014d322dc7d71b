#pragma once
// What batch_prefill is made of, for the files of this folder. All else finds it by its name (batch_prefill.hpp).

#include "interface/operator.hpp"

namespace fmha950::operators {

extern const std::span<const TensorEntry> batch_tensors;

const Oracle& batch_oracle();

} // namespace fmha950::operators
