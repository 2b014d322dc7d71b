#include "harness/probe/probe.hpp"

#include "interface/operator.hpp"

namespace fmha950::harness {

Tensors make_tensors(const Probe& probe) {
  Tensors tensors = probe.make ? probe.make() : operators::make_paged_tensors(probe.problem, probe.choices());
  // What quantisation costs is no question of a probe, and the oracle answers in half the time without.
  for (const TensorEntry& entry : probe.problem.op->facts().tensors)
    if (entry.role == TensorRole::original) entry.of(tensors) = Tensor();
  return tensors;
}

} // namespace fmha950::harness
