#pragma once
// What append_prefill leaves in its cache, byte for byte.

#include "interface/oracle.hpp"

namespace fmha950::operators {

Cache appended_cache(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::operators
