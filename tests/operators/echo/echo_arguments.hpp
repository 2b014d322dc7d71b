#pragma once

#include <stdint.h>

namespace fmha950::echo {

struct Arguments {
  const uint16_t* values;
  const int32_t *q_indptr, *k_indptr;
  uint16_t* output;
  int32_t query_heads, kv_heads, head_dim;
  int32_t key; // of each request, the one whose V is the output
};

} // namespace fmha950::echo
