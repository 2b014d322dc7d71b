#pragma once
// Bytes of the tensors that the harness makes for a problem (workload/generate.hpp).

#include "interface/problem.hpp"

namespace fmha950::harness {

struct InputBytes {
  double kept = 0;     // what goes to the device
  double original = 0; // unquantised values that are kept beside it
  double making = 0;   // dropped when the tensors are made
  double pools = 0;    // of `kept`, K's and V's
  double copied = 0;   // K and V (of sparse_prefill rows of Q, pool and chunk) that are named, in 16 bits
};

InputBytes input_bytes(const Problem& problem);

} // namespace fmha950::harness
