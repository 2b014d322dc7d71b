#pragma once
// Tensors of any problem. How an operator makes its own:
// operators/paged/generate.hpp, operators/sparse_prefill/generate.hpp.

#include "interface/tensors.hpp"

namespace fmha950::workload {

// The trace, if any, is resolved first, then validate_problem() applies. Throws InvalidInput. Uses all cores;
// the result depends on the problem alone.
Tensors make_tensors(const Problem& problem);

} // namespace fmha950::workload
