#pragma once
// torch's scaled_dot_product_attention on the host's CPU, on a problem of the same shape: what the embedded
// device's speed is compared with. torch is no part of the project: a Python that has it is named.

#include "harness/bench/stopwatch.hpp"

#include <string>
#include <vector>

namespace fmha950 {
struct Problem;
}

namespace fmha950::harness {

struct TorchTime {
  std::string type; // bf16, fp32
  int threads = 0;
  Elapsed elapsed; // of one call
};

// Runs analysis/torch_attention.py. Throws InvalidInput if `python` has no torch, or the problem is another
// than one request without mask.
std::vector<TorchTime> time_torch(const std::string& python, const Problem& problem);

} // namespace fmha950::harness
