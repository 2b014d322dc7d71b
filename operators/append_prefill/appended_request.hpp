#pragma once
// One request of append_prefill as batch_prefill of one request over a pool of its own, of Q's type: what
// enters the matrix instructions. For the search of a wrong row's tile.

#include "interface/tensors.hpp"

namespace fmha950::operators {

struct AppendedRequest {
  Problem problem;
  Tensors tensors;
};

AppendedRequest appended_request(const Problem& problem, const Tensors& tensors, int request);

} // namespace fmha950::operators
