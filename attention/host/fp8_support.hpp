#pragma once
// What is refused by kernels that read FP8 where it is and multiply in FP8.

#include "interface/implementation.hpp"

namespace fmha950::attention {

struct Fp8Kernels {
  int head_dim, keys_per_tile;                               // of batch_prefill
  bool sparse_prefill = false, mx = false, soft_cap = false; // whether there are kernels for these
};

Support fp8_support(const Problem& problem, const Fp8Kernels& kernels);

} // namespace fmha950::attention
