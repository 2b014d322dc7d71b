#include "harness/probe/probe.hpp"

namespace fmha950::harness {

Tensors make_tensors(const Probe& probe) {
  const bool sparse = probe.problem.op == Operator::sparse_prefill;
  Tensors tensors = sparse ? workload::make_sparse_tensors(probe.problem, probe.sparse_choices())
                           : workload::make_tensors(probe.problem, probe.choices());
  // What quantisation costs is no question of a probe, and the oracle answers in half the time without.
  tensors.q_original = tensors.k_original = tensors.v_original = Tensor();
  for (SparseRows* rows : {&tensors.sparse.q, &tensors.sparse.pool, &tensors.sparse.chunk})
    rows->original = Tensor();
  return tensors;
}

} // namespace fmha950::harness
