#include "workload/validate_values.hpp"

#include "interface/operator.hpp"

namespace fmha950::workload {

void validate_values(const Problem& problem, const Tensors& tensors) {
  problem.op->check_values(problem, tensors);
}

} // namespace fmha950::workload
