#include "workload/generate.hpp"

#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "workload/trace.hpp"

namespace fmha950::workload {

Tensors make_tensors(const Problem& unresolved) {
  Problem problem = unresolved;
  resolve_trace(problem);
  validate_problem(problem);
  return problem.op->make(problem);
}

} // namespace fmha950::workload
